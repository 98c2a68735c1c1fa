// RUN: pcc-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(fuse-assign-kernels),schedule-plan-memory,lower-to-task))' | FileCheck %s

// Stage 1 of 3 with two ranks each. Peers are the own rank plus whole stages. Messages have their
// own stream. A receive into a ring of depth three waits for the readers of the value three
// microbatches before. A writer of a sent value waits for the message two before.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  module @stage0 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 0 : i64} {}
  module @stage1 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64} {
    func.func @forward_train() -> (tensor<4xf32> {graph.role = #graph.role<saved "x">}) attributes {dist.local} {
      %0 = pipe.recv from 0 tag = 0 : tensor<4xf32>
      %1 = graph.exp %0 : tensor<4xf32>
      pipe.send %1 to 2 tag = 0 {pipe.in_flight_until = array<i64: 1, 3, 5, 7>} : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @backward(%x: tensor<4xf32> {graph.role = #graph.role<saved "x">}) attributes {dist.local} {
      %0 = pipe.recv from 2 tag = 0 : tensor<4xf32>
      %1 = graph.mul %x, %0 : tensor<4xf32>
      pipe.send %1 to 0 tag = 0 {pipe.in_flight_until = array<i64: 4, 6, 7, 7>} : tensor<4xf32>
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
}
// CHECK-DAG: %[[X:.*]] = task.buffer "forward_train.recv0" temporary offset = 0 {depth = 3 : i64, stride = 64 : i64} : memref<4xf32>
// CHECK-DAG: %[[Y:.*]] = task.buffer "forward_train.exp1" temporary offset = 192 {depth = 2 : i64, stride = 64 : i64} : memref<4xf32>
// CHECK: task.section @forward_train
// CHECK-NEXT: task.recv %[[X]] from <-2 + dp * 1 + pp * 2> tag = 0 {signals = array<i32: [[RECEIVED:[0-9]+]]>, stream = #task<stream transfer>, task.behind = array<i32: 4>, waits = array<i32: [[READ:[0-9]+]]>}
// CHECK-NEXT: task.launch @kernel0_exp(%[[X]], %[[Y]]) {{.*}}signals = array<i32: [[WRITTEN:[0-9]+]]>, {{.*}}task.behind = array<i32: 0, 3>, {{.*}}waits = array<i32: [[RECEIVED]], [[SENT:[0-9]+]]>}
// CHECK-NEXT: task.send %[[Y]] to <2 + dp * 1 + pp * 2> tag = 0 {signals = array<i32: [[SENT]]>, stream = #task<stream transfer>, waits = array<i32: [[WRITTEN]]>}
// CHECK: task.section @backward
// CHECK: task.launch @kernel1_mul(%[[X]], {{.*}}signals = array<i32: [[READ]]>
