// RUN: not pcc-opt %s --autodiff-attach-loss=loss=mse --autodiff-separate-modes 2>&1 | FileCheck %s

// Two batch norms would both write one running statistic.
// CHECK: error: running statistic 'mean' belongs to another batch norm as well: expected one of its own for each
graph.parameter @scale : tensor<3xf32> init(#graph.init<ones>)
graph.parameter @mean : tensor<3xf32> init(#graph.init<zeros>) {trainable = false}
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                   %s: tensor<3xf32> {graph.role = #graph.role<parameter "scale">},
                   %m: tensor<3xf32> {graph.role = #graph.role<parameter "mean">})
    -> (tensor<4x3xf32> {graph.role = #graph.role<output "y">}) {
  %v = graph.constant dense<1.0> : tensor<3xf32>
  %0:3 = graph.batch_norm %x, %s, %s, %m, %v epsilon = 0.125 momentum = 0.75
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %1:3 = graph.batch_norm %0#0, %s, %s, %m, %v epsilon = 0.125 momentum = 0.75
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %1#0 : tensor<4x3xf32>
}
