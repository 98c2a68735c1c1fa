// RUN: pcc-opt %s --autodiff-attach-loss --autodiff-differentiate --autodiff-build-update=optimizer=momentum,lr=0.01 --autodiff-build-step=micro-batches=2 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-opt %t.mlir | diff - %t.mlir

// A perceptron of two layers, from @forward to the step. The printed module can be parsed again.

// CHECK: graph.parameter @fc1.weight : tensor<16x8xf32>
// CHECK-NEXT: graph.parameter @fc1.weight.velocity
module {
  graph.parameter @fc1.weight : tensor<16x8xf32> init(#graph.init<normal, 0.0, 0.1>)
  graph.parameter @fc1.bias : tensor<16xf32> init(#graph.init<zeros>)
  graph.parameter @fc2.weight : tensor<4x16xf32> init(#graph.init<normal, 0.0, 0.1>)

  // The model is kept for evaluation.
  // CHECK-LABEL: func.func @forward(
  // CHECK-SAME: -> (tensor<2x4xf32> {graph.role = #graph.role<output "logits">})

  // CHECK-LABEL: func.func @forward_backward(
  // CHECK-SAME: %[[X:.+]]: tensor<2x8xf32> {graph.role = #graph.role<input "x">}
  // CHECK-SAME: %[[LABELS:.+]]: tensor<2xi64> {graph.role = #graph.role<input "labels">}
  // CHECK-SAME: %[[W1:[a-z0-9]+]]: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">}
  // CHECK-SAME: %[[B1:[a-z0-9]+]]: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">}
  // CHECK-SAME: %[[W2:[a-z0-9]+]]: tensor<4x16xf32> {graph.role = #graph.role<parameter "fc2.weight">}
  // CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>, pipe.accumulate
  // CHECK-SAME: tensor<16x8xf32> {graph.role = #graph.role<gradient "fc1.weight">, pipe.accumulate
  // CHECK-SAME: tensor<16xf32> {graph.role = #graph.role<gradient "fc1.bias">, pipe.accumulate
  // CHECK-SAME: tensor<4x16xf32> {graph.role = #graph.role<gradient "fc2.weight">, pipe.accumulate

  // Forward.
  // CHECK: graph.matmul %[[X]], %[[W1]] {transpose_rhs}
  // CHECK: %[[H:.+]] = graph.relu
  // CHECK: %[[LOGITS:.+]] = graph.matmul %[[H]], %[[W2]] {transpose_rhs}
  // CHECK: %[[LOSS:.+]] = graph.softmax_cross_entropy %[[LOGITS]], %[[LABELS]]

  // Backward: softmax minus the labels, two gradients of the second layer, one of the first.
  // CHECK: %[[T:.+]] = graph.one_hot %[[LABELS]]
  // CHECK: %[[P:.+]] = graph.softmax %[[LOGITS]]
  // CHECK: graph.sub %[[P]], %[[T]]
  // CHECK: %[[GL:.+]] = graph.mul
  // CHECK: %[[GH:.+]] = graph.matmul %[[GL]], %[[W2]] :
  // CHECK: %[[GW2:.+]] = graph.matmul %[[GL]], %[[H]] {transpose_lhs}
  // CHECK: %[[MASK:.+]] = graph.compare gt %[[H]]
  // CHECK: %[[GS:.+]] = graph.select %[[MASK]], %[[GH]]
  // CHECK: %[[GB1:.+]] = graph.reduce sum %[[GS]], [0]
  // CHECK: %[[GW1:.+]] = graph.matmul %[[GS]], %[[X]] {transpose_lhs}
  // CHECK: return %[[LOSS]], %[[GW1]], %[[GB1]], %[[GW2]]

  // CHECK-LABEL: func.func @update(
  // CHECK-COUNT-3: graph.momentum

  // CHECK-LABEL: pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum
  // CHECK-COUNT-2: pipe.action @forward_backward
  // CHECK-NEXT: pipe.action @update
  func.func @forward(%x: tensor<2x8xf32> {graph.role = #graph.role<input "x">},
                     %w1: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">},
                     %b1: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">},
                     %w2: tensor<4x16xf32> {graph.role = #graph.role<parameter "fc2.weight">})
      -> (tensor<2x4xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.matmul %x, %w1 {transpose_rhs} : tensor<2x8xf32>, tensor<16x8xf32>
    %1 = graph.broadcast %b1, [1] : tensor<16xf32> to tensor<2x16xf32>
    %2 = graph.add %0, %1 : tensor<2x16xf32>
    %3 = graph.relu %2 : tensor<2x16xf32>
    %4 = graph.matmul %3, %w2 {transpose_rhs} : tensor<2x16xf32>, tensor<4x16xf32>
    return %4 : tensor<2x4xf32>
  }
}
