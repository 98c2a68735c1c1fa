// RUN: pcc-opt %s --split-input-file --schedule-annotate-in-flight | FileCheck %s

// 1F1B of two stages: a message of the first stage is complete when the backward of its microbatch
// begins, a message of the last stage when the forward after next begins. Nothing comes back from
// the evaluation, which is not in the step.
// CHECK: module @stage0
// CHECK: func.func @forward()
// CHECK: pipe.send %{{.*}} to 1 tag = 0 : tensor<4xf32>
// CHECK: func.func @forward_train
// CHECK: pipe.send %{{.*}} to 1 tag = 1 {pipe.in_flight_until = array<i64: 1, 3, 5, 6>}
// CHECK: module @stage1
// CHECK: pipe.send %{{.*}} to 0 tag = 0 {pipe.in_flight_until = array<i64: 3, 5, 7, 7>}
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 1 tag = 0 : tensor<4xf32>
      return
    }
    func.func @forward_train() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 1 tag = 1 : tensor<4xf32>
      return
    }
    func.func @backward() {
      %0 = pipe.recv from 1 tag = 0 : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 4 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 3 copy = 0
      pipe.action @backward microbatch = 2 copy = 0
      pipe.action @backward microbatch = 3 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func @forward() {
      %0 = pipe.recv from 0 tag = 0 : tensor<4xf32>
      return
    }
    func.func @forward_train() {
      %0 = pipe.recv from 0 tag = 1 : tensor<4xf32>
      return
    }
    func.func @backward() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 0 tag = 0 : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 4 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward microbatch = 2 copy = 0
      pipe.action @forward_train microbatch = 3 copy = 0
      pipe.action @backward microbatch = 3 copy = 0
    }
  }
}

// -----

// GPipe: nothing comes back before the last forward, and while gradients go back nothing comes.
// CHECK: module @stage0
// CHECK: pipe.send %{{.*}} to 1 tag = 0 {pipe.in_flight_until = array<i64: 2, 2, 2>}
// CHECK: module @stage1
// CHECK: pipe.send %{{.*}} to 0 tag = 0 {pipe.in_flight_until = array<i64: 5, 5, 5>}
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 1 tag = 0 : tensor<4xf32>
      return
    }
    func.func @backward() {
      %0 = pipe.recv from 1 tag = 0 : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @backward microbatch = 2 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func @forward_train() {
      %0 = pipe.recv from 0 tag = 0 : tensor<4xf32>
      return
    }
    func.func @backward() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 0 tag = 0 : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @backward microbatch = 2 copy = 0
    }
  }
}

// -----

// The updates of a parameter that both stages read exchange a gradient and the new value. Each
// waits for the other, and neither has a place among the actions of microbatches.
// CHECK: module @stage0
// CHECK: func.func @forward_train
// CHECK: pipe.send %{{.*}} to 1 tag = 0 {pipe.in_flight_until = array<i64: 1, 1>}
// CHECK: func.func @update
// CHECK: pipe.send %{{.*}} to 1 tag = 1 :
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 1 tag = 0 : tensor<4xf32>
      return
    }
    func.func @update() {
      %0 = pipe.recv from 1 tag = 0 : tensor<4xf32>
      pipe.send %0 to 1 tag = 1 : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @update
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func @forward_train() {
      %0 = pipe.recv from 0 tag = 0 : tensor<4xf32>
      return
    }
    func.func @update() {
      %0 = graph.constant dense<1.0> : tensor<4xf32>
      pipe.send %0 to 0 tag = 0 : tensor<4xf32>
      %1 = pipe.recv from 0 tag = 1 : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @update
    }
  }
}
