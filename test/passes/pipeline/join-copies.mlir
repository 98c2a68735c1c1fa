// RUN: pcc-opt %s --split-input-file --pipeline-join-copies | FileCheck %s

// An action works on both copies of a microbatch. Each copy has its own rows of the input, and adds
// its own gradient and loss. A statistic goes from copy to copy. Ops that run once stay.

// CHECK-LABEL: func.func @forward_backward
// CHECK-SAME: (%[[X0:.+]]: tensor<4xf32> {graph.role = #graph.role<input "x">, pipe.copy = 0 : i64},
// CHECK-SAME: %[[X1:.+]]: tensor<4xf32> {graph.role = #graph.role<input "x">, pipe.copy = 1 : i64},
// CHECK-SAME: %[[W:.+]]: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
// CHECK-SAME: %[[M:.+]]: tensor<4xf32> {graph.role = #graph.role<parameter "mean">})
// CHECK-SAME: -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.000000e+00>},
// CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.000000e+00>},
// CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<parameter "mean">}) attributes {dist.local}
// CHECK-NEXT: %[[G0:.+]] = graph.mul %[[X0]], %[[W]]
// CHECK-NEXT: %[[M0:.+]] = graph.add %[[M]], %[[X0]]
// CHECK-NEXT: %[[G1:.+]] = graph.mul %[[X1]], %[[W]]
// CHECK-NEXT: %[[M1:.+]] = graph.add %[[M0]], %[[X1]]
// CHECK-NEXT: return %[[G0]], %[[G1]], %[[M1]]
// CHECK: func.func @update
// CHECK: pipe.step @train micro_batches = 2 copies = 2
// CHECK-NEXT: pipe.action @forward_backward microbatch = 0{{$}}
// CHECK-NEXT: pipe.action @forward_backward microbatch = 1{{$}}
// CHECK-NEXT: pipe.action @update{{$}}
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(<zeros>)
  graph.parameter @mean : tensor<4xf32> init(<zeros>) {trainable = false}
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                              %mean: tensor<4xf32> {graph.role = #graph.role<parameter "mean">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4xf32> {graph.role = #graph.role<parameter "mean">}) attributes {dist.local} {
    %0 = graph.mul %x, %w : tensor<4xf32>
    %1 = graph.add %mean, %x : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @update(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">}) attributes {dist.local} {
    %0 = graph.sub %w, %g : tensor<4xf32>
    return %0 : tensor<4xf32>
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

// In the sections of a pipeline stage, each copy has its own saved values and messages. No two
// messages have the same tag, in whichever function. The step number, which counts runs, counts
// copies.

// CHECK-LABEL: func.func @forward_train
// CHECK-SAME: (%[[STEP:.+]]: tensor<i64> {graph.role = #graph.role<step>})
// CHECK-SAME: -> (tensor<2xf32> {graph.role = #graph.role<saved "h, copy 0">}, tensor<2xf32> {graph.role = #graph.role<saved "h, copy 1">})
// CHECK: %[[H0:.+]] = pipe.recv from 0 tag = 6
// CHECK: %[[H1:.+]] = pipe.recv from 0 tag = 7
// CHECK: return %[[H0]], %[[H1]]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%[[H0:.+]]: tensor<2xf32> {graph.role = #graph.role<saved "h, copy 0">}, %[[H1:.+]]: tensor<2xf32> {graph.role = #graph.role<saved "h, copy 1">})
// CHECK: pipe.send %[[H0]] to 0 tag = 2
// CHECK: pipe.send %[[H1]] to 0 tag = 3
// CHECK-LABEL: func.func @update
// CHECK: pipe.recv from 0 tag = 4
module attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64} {
  func.func @forward_train(%step: tensor<i64> {graph.role = #graph.role<step>})
      -> (tensor<2xf32> {graph.role = #graph.role<saved "h">}) attributes {dist.local} {
    %0 = pipe.recv from 0 tag = 3 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @backward(%h: tensor<2xf32> {graph.role = #graph.role<saved "h">}) attributes {dist.local} {
    pipe.send %h to 0 tag = 1 : tensor<2xf32>
    return
  }
  func.func @update() attributes {dist.local} {
    %0 = pipe.recv from 0 tag = 2 : tensor<2xf32>
    return
  }
  pipe.step @train micro_batches = 1 copies = 2 micro_reduction = sum {
    pipe.action @forward_train microbatch = 0 copy = 0
    pipe.action @forward_train microbatch = 0 copy = 1
    pipe.action @backward microbatch = 0 copy = 0
    pipe.action @backward microbatch = 0 copy = 1
    pipe.action @update
  }
}

// -----

// However many messages an action receives, those of all copies come first, in their order.

// CHECK-LABEL: func.func @forward_train
// CHECK-NEXT: pipe.recv from 0 tag = 0
// CHECK-NEXT: pipe.recv from 0 tag = 3
// CHECK-NEXT: pipe.recv from 0 tag = 6
// CHECK-NEXT: pipe.recv from 2 tag = 0
// CHECK-NEXT: pipe.recv from 0 tag = 1
// CHECK-NEXT: pipe.recv from 0 tag = 4
// CHECK-NEXT: pipe.recv from 0 tag = 7
// CHECK-NEXT: pipe.recv from 2 tag = 1
// CHECK-NEXT: pipe.recv from 0 tag = 2
// CHECK-NEXT: pipe.recv from 0 tag = 5
// CHECK-NEXT: pipe.recv from 0 tag = 8
// CHECK-NEXT: pipe.recv from 2 tag = 2
// CHECK-COUNT-9: graph.add
// CHECK-NOT: pipe.recv
module attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64} {
  func.func @forward_train() -> (tensor<2xf32> {graph.role = #graph.role<saved "h">}) attributes {dist.local} {
    %0 = pipe.recv from 0 tag = 0 : tensor<2xf32>
    %1 = pipe.recv from 0 tag = 1 : tensor<2xf32>
    %2 = graph.add %0, %1 : tensor<2xf32>
    %3 = pipe.recv from 0 tag = 2 : tensor<2xf32>
    %4 = graph.add %2, %3 : tensor<2xf32>
    %5 = pipe.recv from 2 tag = 0 : tensor<2xf32>
    %6 = graph.add %4, %5 : tensor<2xf32>
    return %6 : tensor<2xf32>
  }
  pipe.step @train micro_batches = 1 copies = 3 micro_reduction = sum {
    pipe.action @forward_train microbatch = 0 copy = 0
    pipe.action @forward_train microbatch = 0 copy = 1
    pipe.action @forward_train microbatch = 0 copy = 2
  }
}

// -----

// A single copy needs no change.

// CHECK-LABEL: func.func @f()
// CHECK: pipe.action @f microbatch = 0 copy = 0
func.func @f() {
  return
}
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
  pipe.action @f microbatch = 0 copy = 0
}
