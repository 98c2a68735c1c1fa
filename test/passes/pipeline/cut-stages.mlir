// RUN: pcc-opt %s --split-input-file --pipeline-cut-stages=stages=2 | FileCheck %s
// RUN: pcc-opt %s --split-input-file --pipeline-cut-stages='stages=2 split-backward' | FileCheck %s --check-prefix=SPLIT

// Each stage has its parameters, its part of every function, and a step in GPipe order. Transfers
// between stages are messages, numbered for each pair of stages over all functions.

// CHECK: module attributes {dist.mesh = #dist.mesh<dp=2>}
// CHECK: module @stage0 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 0 : i64}
// CHECK: graph.parameter @w
// CHECK-NOT: graph.parameter @v
// CHECK: func.func @forward(%{{.+}} {graph.role = #graph.role<input "x">}, %{{.+}} {graph.role = #graph.role<parameter "w">}) attributes {dist.local}
// CHECK: pipe.send %{{.+}} to 1 tag = 0
// CHECK-NEXT: return{{$}}
// CHECK: func.func @forward_train(%{{.+}} "x">}, %{{.+}} "w">}) -> (tensor<4xf32> {graph.role = #graph.role<saved "tanh">}) attributes {dist.local}
// CHECK: %[[H:.+]] = graph.tanh
// CHECK-NEXT: pipe.send %[[H]] to 1 tag = 1
// CHECK-NEXT: return %[[H]]
// CHECK: func.func @backward(%[[G0:.+]]: tensor<4xf32> {graph.role = #graph.role<saved "tanh">}, %[[X:.+]]: tensor<4xf32> {graph.role = #graph.role<input "x">})
// CHECK-SAME: -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 5.000000e-01>})
// CHECK: %[[R:.+]] = pipe.recv from 1 tag = 0
// CHECK: graph.mul %[[R]], %[[X]]
// CHECK: func.func @update(%{{.+}} {graph.role = #graph.role<parameter "w">}, %{{.+}} {graph.role = #graph.role<gradient "w">})
// CHECK: pipe.step @train micro_batches = 2 copies = 2 micro_reduction = sum {
// CHECK-NEXT: pipe.action @forward_train microbatch = 0 copy = 0
// CHECK-NEXT: pipe.action @forward_train microbatch = 0 copy = 1
// CHECK-NEXT: pipe.action @forward_train microbatch = 1 copy = 0
// CHECK-NEXT: pipe.action @forward_train microbatch = 1 copy = 1
// CHECK-NEXT: pipe.action @backward microbatch = 0 copy = 0
// CHECK-NEXT: pipe.action @backward microbatch = 0 copy = 1
// CHECK-NEXT: pipe.action @backward microbatch = 1 copy = 0
// CHECK-NEXT: pipe.action @backward microbatch = 1 copy = 1
// CHECK-NEXT: pipe.action @update

// A received value is saved as well; a broadcast is recomputed rather than saved.
// CHECK: module @stage1 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64}
// CHECK-NOT: graph.parameter @w
// CHECK: graph.parameter @v
// CHECK: func.func @forward(%{{.+}} "v">}) -> (tensor<4xf32> {graph.role = #graph.role<output "y">})
// CHECK-NEXT: pipe.recv from 0 tag = 0
// CHECK: func.func @forward_train(%{{.+}} {graph.role = #graph.role<parameter "v">}) -> (tensor<f32> {graph.role = #graph.role<loss>, pipe.accumulate
// CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<saved "transfer">}) attributes {dist.local}
// CHECK-NEXT: %[[H1:.+]] = pipe.recv from 0 tag = 1
// CHECK: return %{{.+}}, %[[H1]]
// CHECK: func.func @backward(%{{.+}} {graph.role = #graph.role<saved "transfer">}, %{{.+}} {graph.role = #graph.role<parameter "v">})
// CHECK: %[[V:.+]] = graph.broadcast
// CHECK: pipe.send %[[V]] to 0 tag = 0
// CHECK-NOT: graph.parameter @w

// Gradients that multiply no matrices are computed at once if they would keep more than they are.
// SPLIT: module @stage0
// SPLIT: func.func @backward_input(%{{.+}} {graph.role = #graph.role<saved "tanh">}, %{{.+}} {graph.role = #graph.role<input "x">}) -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">
// SPLIT: func.func @backward_weight() attributes
// SPLIT: pipe.action @forward_train microbatch = 1 copy = 1
// SPLIT-NEXT: pipe.action @backward_input microbatch = 0 copy = 0
// SPLIT-NEXT: pipe.action @backward_weight microbatch = 0 copy = 0
// SPLIT-NEXT: pipe.action @backward_input microbatch = 0 copy = 1
// SPLIT: module @stage1
// SPLIT: func.func @backward_input(%{{.+}} {graph.role = #graph.role<saved "transfer">}, %{{.+}} {graph.role = #graph.role<parameter "v">}) -> (tensor<f32> {graph.role = #graph.role<gradient "v">
// SPLIT: pipe.send

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
  graph.parameter @v : tensor<f32> init(#graph.init<zeros>) {pipe.virtual_stage = 1 : i64}
  func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                     %v: tensor<f32> {graph.role = #graph.role<parameter "v">})
      -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local} {
    %0 = graph.mul %x, %w : tensor<4xf32>
    %1 = pipe.transfer %0 from 0 to 1 : tensor<4xf32>
    %2 = graph.broadcast %v, [] : tensor<f32> to tensor<4xf32>
    %3 = graph.mul %1, %2 : tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                              %v: tensor<f32> {graph.role = #graph.role<parameter "v">})
      -> (tensor<f32> {graph.role = #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 0.5>},
          tensor<f32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 0.5>})
      attributes {dist.local} {
    %0 = graph.mul %x, %w : tensor<4xf32>
    %h = graph.tanh %0 : tensor<4xf32>
    %h1 = pipe.transfer %h from 0 to 1 : tensor<4xf32>
    %b = graph.broadcast %v, [] : tensor<f32> to tensor<4xf32>
    %y = graph.mul %h1, %b : tensor<4xf32>
    %loss = graph.reduce sum %y, [0] : tensor<4xf32>
    %gv = graph.reduce sum %h1, [0] : tensor<4xf32>
    %g1 = pipe.transfer %b from 1 to 0 : tensor<4xf32>
    %s = graph.mul %g1, %h : tensor<4xf32>
    %p = graph.mul %g1, %x : tensor<4xf32>
    %gw = graph.add %s, %p : tensor<4xf32>
    return %loss, %gw, %gv : tensor<f32>, tensor<4xf32>, tensor<f32>
  }
  func.func @update(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                    %v: tensor<f32> {graph.role = #graph.role<parameter "v">},
                    %gw: tensor<4xf32> {graph.role = #graph.role<gradient "w">},
                    %gv: tensor<f32> {graph.role = #graph.role<gradient "v">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">},
          tensor<f32> {graph.role = #graph.role<parameter "v">}) attributes {dist.local} {
    %0 = graph.sub %w, %gw : tensor<4xf32>
    %1 = graph.sub %v, %gv : tensor<f32>
    return %0, %1 : tensor<4xf32>, tensor<f32>
  }
  pipe.step @train micro_batches = 2 copies = 2 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 0 copy = 1
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 1
    pipe.action @update
  }
}

// -----

// Annotated ops are recomputed for the gradients; their operands are saved. Values computed from
// inputs alone are computed in each stage that reads them.

// CHECK: module @stage0
// CHECK: func.func @forward_train(%{{.+}} "x">}, %{{.+}} "w">}) -> (tensor<4xf32> {graph.role = #graph.role<saved "exp">})
// CHECK: graph.neg
// CHECK: func.func @backward(%[[E:.+]]: tensor<4xf32> {graph.role = #graph.role<saved "exp">})
// CHECK: graph.tanh %[[E]]
// CHECK: module @stage1
// CHECK: func.func @forward_train(%[[X:.+]]: tensor<4xf32> {graph.role = #graph.role<input "x">})
// CHECK: graph.neg %[[X]]
graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                            %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<4xf32> {graph.role = #graph.role<gradient "w">}) {
  %n = graph.neg %x : tensor<4xf32>
  %0 = graph.mul %n, %w : tensor<4xf32>
  %e = graph.exp %0 : tensor<4xf32>
  %t = graph.tanh %e {pipe.recompute} : tensor<4xf32>
  %t1 = pipe.transfer %t from 0 to 1 : tensor<4xf32>
  %y = graph.mul %t1, %n : tensor<4xf32>
  %loss = graph.reduce sum %y, [0] : tensor<4xf32>
  %gt1 = graph.mul %y, %n : tensor<4xf32>
  %gt = pipe.transfer %gt1 from 1 to 0 : tensor<4xf32>
  %gw = graph.mul %gt, %t : tensor<4xf32>
  return %loss, %gw : tensor<f32>, tensor<4xf32>
}

// -----

// A value computed from parameters alone is the same in every microbatch. It is recomputed rather
// than saved for each: a gathered parameter, but not a parameter that the forward pass changes.

// CHECK: module @stage0
// CHECK: func.func @forward_train(
// CHECK-SAME: -> (tensor<4xf32> {graph.role = #graph.role<parameter "m">}, tensor<4xf32> {graph.role = #graph.role<saved "sqrt">})
// CHECK: func.func @backward(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {dist.sharding = #dist.sharding<[dp]>, graph.role = #graph.role<parameter "w">}
// CHECK: dist.all_gather %[[W]]
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
  graph.parameter @m : tensor<4xf32> init(#graph.init<ones>) {pipe.virtual_stage = 0 : i64, trainable = false}
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<2xf32> {graph.role = #graph.role<parameter "w">,
                                                 dist.sharding = #dist.sharding<[dp]>},
                              %m: tensor<4xf32> {graph.role = #graph.role<parameter "m">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<4xf32> {graph.role = #graph.role<parameter "m">},
          tensor<4xf32> {graph.role = #graph.role<gradient "w">}) attributes {dist.local} {
    %g = dist.all_gather %w axis = 0 over <axes [dp]> : tensor<2xf32> to tensor<4xf32>
    %s = graph.sqrt %m : tensor<4xf32>
    %0 = graph.mul %x, %g : tensor<4xf32>
    %1 = graph.mul %0, %s : tensor<4xf32>
    %n = graph.add %m, %0 : tensor<4xf32>
    %y = pipe.transfer %1 from 0 to 1 : tensor<4xf32>
    %loss = graph.reduce sum %y, [0] : tensor<4xf32>
    %gy = pipe.transfer %y from 1 to 0 : tensor<4xf32>
    %2 = graph.mul %gy, %s : tensor<4xf32>
    %gw = graph.mul %2, %g : tensor<4xf32>
    return %loss, %n, %gw : tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A transfer to a later chunk is forward work, even if only gradients read its value: the backward
// of stage 1 must not wait for a backward of stage 0 that waits for it.

// CHECK: module @stage0
// CHECK: func.func @forward_train
// CHECK: pipe.send %{{.+}} to 1 tag = 0
// CHECK: pipe.send %{{.+}} to 1 tag = 1
// CHECK: func.func @backward
// CHECK-NOT: pipe.send
// CHECK: module @stage1
// CHECK: func.func @forward_train
// CHECK: pipe.recv from 0 tag = 0
// CHECK: pipe.recv from 0 tag = 1
// CHECK: func.func @backward
// CHECK-NOT: pipe.recv
// CHECK: pipe.send
graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                            %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<4xf32> {graph.role = #graph.role<gradient "w">}) {
  %a = graph.mul %x, %w : tensor<4xf32>
  %a1 = pipe.transfer %a from 0 to 1 : tensor<4xf32>
  %b = graph.exp %a : tensor<4xf32>
  %b1 = pipe.transfer %b from 0 to 1 : tensor<4xf32>
  %loss = graph.reduce sum %a1, [0] : tensor<4xf32>
  %g1 = graph.sin %b1 : tensor<4xf32>
  %g = pipe.transfer %g1 from 1 to 0 : tensor<4xf32>
  %gw = graph.mul %g, %x : tensor<4xf32>
  return %loss, %gw : tensor<f32>, tensor<4xf32>
}
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
  pipe.action @forward_backward microbatch = 0 copy = 0
  pipe.action @forward_backward microbatch = 1 copy = 0
}

// -----

// Products of weights are a section of their own, which reads the values that the other section
// receives. The gradient of the bias reads nothing besides, so it joins them. That of the scale
// would keep the input and the normalized value.

// SPLIT: graph.parameter @bias
// SPLIT: func.func @backward_input(
// SPLIT-SAME: {graph.role = #graph.role<saved "tanh">}
// SPLIT-SAME: -> (tensor<8xf32> {graph.role = #graph.role<gradient "scale">{{.*}}, tensor<4x8xf32> {graph.role = #graph.role<saved "transfer">})
// SPLIT-NEXT: %[[R:.+]] = pipe.recv from 1 tag = 0
// SPLIT-NEXT: graph.mul
// SPLIT: func.func @backward_weight(
// SPLIT-SAME: -> (tensor<8x8xf32> {graph.role = #graph.role<gradient "w">}, tensor<8xf32> {graph.role = #graph.role<gradient "bias">})
// SPLIT-DAG: graph.matmul
// SPLIT-DAG: graph.reduce
// SPLIT: return
graph.parameter @w : tensor<8x8xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
graph.parameter @bias : tensor<8xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
graph.parameter @scale : tensor<8xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
func.func @forward_backward(%x: tensor<4x8xf32> {graph.role = #graph.role<input "x">},
                            %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">},
                            %bias: tensor<8xf32> {graph.role = #graph.role<parameter "bias">},
                            %scale: tensor<8xf32> {graph.role = #graph.role<parameter "scale">})
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<8x8xf32> {graph.role = #graph.role<gradient "w">},
        tensor<8xf32> {graph.role = #graph.role<gradient "bias">},
        tensor<8xf32> {graph.role = #graph.role<gradient "scale">}) {
  %m = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
  %bb = graph.broadcast %bias, [1] : tensor<8xf32> to tensor<4x8xf32>
  %a = graph.add %m, %bb : tensor<4x8xf32>
  %t = graph.tanh %a : tensor<4x8xf32>
  %bs = graph.broadcast %scale, [1] : tensor<8xf32> to tensor<4x8xf32>
  %h = graph.mul %t, %bs : tensor<4x8xf32>
  %h1 = pipe.transfer %h from 0 to 1 : tensor<4x8xf32>
  %loss = graph.reduce sum %h1, [0, 1] : tensor<4x8xf32>
  %g = graph.neg %h1 : tensor<4x8xf32>
  %g1 = pipe.transfer %g from 1 to 0 : tensor<4x8xf32>
  %p = graph.mul %g1, %t : tensor<4x8xf32>
  %gs = graph.reduce sum %p, [0] : tensor<4x8xf32>
  %xt = graph.transpose %x, [1, 0] : tensor<4x8xf32>
  %gw = graph.matmul %xt, %g1 : tensor<8x4xf32>, tensor<4x8xf32>
  %gb = graph.reduce sum %g1, [0] : tensor<4x8xf32>
  return %loss, %gw, %gb, %gs : tensor<f32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
}
