// RUN: pcc-opt %s --split-input-file --autodiff-attach-loss | FileCheck %s

// @forward stays. Its copy takes the labels after the other inputs and returns the loss.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: -> (tensor<4x3xf32> {graph.role = #graph.role<output "logits">})
// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: %[[X:.+]]: tensor<4x2xf32> {graph.role = #graph.role<input "x">}
// CHECK-SAME: %[[LABELS:.+]]: tensor<4xi64> {graph.role = #graph.role<input "labels">}
// CHECK-SAME: %[[W:.+]]: tensor<2x3xf32> {graph.role = #graph.role<parameter "w">}
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>})
// CHECK: %[[LOGITS:.+]] = graph.matmul %[[X]], %[[W]]
// CHECK: %[[LOSS:.+]] = graph.softmax_cross_entropy %[[LOGITS]], %[[LABELS]]
// CHECK: return %[[LOSS]]
module {
  graph.parameter @w : tensor<2x3xf32> init(#graph.init<zeros>)
  func.func @forward(%x: tensor<4x2xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<2x3xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<4x3xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x3xf32>
    return %0 : tensor<4x3xf32>
  }
}

// -----

// An input named "labels" becomes the labels. Updated parameters stay among the results.

// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: %[[LABELS:.+]]: tensor<4xi32> {graph.role = #graph.role<input "labels">}
// CHECK-SAME: %[[W:.+]]: tensor<4x3xf32> {graph.role = #graph.role<parameter "w">}
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<4x3xf32> {graph.role = #graph.role<parameter "w">})
// CHECK: %[[MEAN:.+]] = graph.neg
// CHECK: %[[LOSS:.+]] = graph.softmax_cross_entropy %[[W]], %[[LABELS]]
// CHECK: return %[[LOSS]], %[[MEAN]]
module {
  graph.parameter @w : tensor<4x3xf32> init(#graph.init<zeros>)
  func.func @forward(%labels: tensor<4xi32> {graph.role = #graph.role<input "labels">},
                     %w: tensor<4x3xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<4x3xf32> {graph.role = #graph.role<parameter "w">},
          tensor<4x3xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.neg %w : tensor<4x3xf32>
    return %0, %w : tensor<4x3xf32>, tensor<4x3xf32>
  }
}
