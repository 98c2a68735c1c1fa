// RUN: pcc-opt %s --autodiff-attach-loss=loss=mse --autodiff-separate-modes -verify-diagnostics

graph.parameter @scale : tensor<3xf32> init(#graph.init<ones>)
graph.parameter @statistics : tensor<3xf32> init(#graph.init<ones>) {trainable = false}

// One parameter cannot be both statistics of a batch norm.
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                   %s: tensor<3xf32> {graph.role = #graph.role<parameter "scale">},
                   %m: tensor<3xf32> {graph.role = #graph.role<parameter "statistics">})
    -> (tensor<4x3xf32> {graph.role = #graph.role<output "y">}) {
  // expected-error @+1 {{expected two parameters as running mean and running variance, got the same one; store it twice}}
  %0 = graph.batch_norm_inference %x, %s, %s, %m, %m epsilon = 0.125 {momentum = 0.75 : f64}
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %0 : tensor<4x3xf32>
}
