// RUN: pcc-opt %s --autodiff-separate-modes | FileCheck %s

// A model with a loss of its own, exported in training mode: the copy is trained, the model itself evaluates.

graph.parameter @scale : tensor<3xf32> init(#graph.init<ones>)
graph.parameter @mean : tensor<3xf32> init(#graph.init<zeros>) {trainable = false}

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<3xf32> {graph.role = #graph.role<output "running">})
// CHECK: graph.batch_norm_inference
// CHECK: return %{{.*}}, %arg2 :

// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<3xf32> {graph.role = #graph.role<output "running">}, tensor<3xf32> {graph.role = #graph.role<parameter "mean">})
// CHECK: graph.batch_norm %
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                   %s: tensor<3xf32> {graph.role = #graph.role<parameter "scale">},
                   %m: tensor<3xf32> {graph.role = #graph.role<parameter "mean">})
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<3xf32> {graph.role = #graph.role<output "running">}) {
  %v = graph.constant dense<1.0> : tensor<3xf32>
  %0:3 = graph.batch_norm %x, %s, %s, %m, %v epsilon = 0.125 momentum = 0.75
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %1 = graph.mse %0#0, %x : tensor<4x3xf32>
  return %1, %0#1 : tensor<f32>, tensor<3xf32>
}
