// A loss that the model computes itself is one of its outputs. It needs no labels, and @forward stays as it is.
// RUN: pcc-opt %s --autodiff-attach-loss=loss=output:loss | FileCheck %s
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=output:y 2>&1 | FileCheck %s --check-prefix=MATRIX
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=output 2>&1 | FileCheck %s --check-prefix=NAMELESS

// CHECK-LABEL: func.func @forward(
// CHECK: return %{{.+}}, %{{.+}} : tensor<4x3xf32>, tensor<f32>
// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x3xf32> {graph.role = #graph.role<input "x">})
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>})
// CHECK: %[[LOSS:.+]] = graph.reduce mean
// CHECK: return %[[LOSS]] : tensor<f32>

// MATRIX: error: output 'y' does not suit loss 'output': expected a float scalar (its type is 'tensor<4x3xf32>')
// NAMELESS: error: expected the name of one output in --loss, got 2 to choose from; outputs: 'y', 'loss'
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<4x3xf32> {graph.role = #graph.role<output "y">},
        tensor<f32> {graph.role = #graph.role<output "loss">}) {
  %0 = graph.neg %x : tensor<4x3xf32>
  %1 = graph.reduce mean %0, [0, 1] : tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<f32>
}
