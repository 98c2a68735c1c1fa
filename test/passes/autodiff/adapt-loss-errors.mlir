// RUN: pcc-opt %s "--autodiff-adapt-loss-to-parts=micro-batches=2 micro-reduction=mean" -verify-diagnostics

// An updated parameter depends on the loss's multiple of a sum.
func.func @forward_loss(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<f32> {graph.role = #graph.role<parameter "r">}) {
  %half = graph.constant dense<0.5> : tensor<f32>
  // expected-error @+1 {{'graph.reduce' op cannot work on one of 2 parts, microbatches times copies: the loss and an updated parameter depend on one sum over the samples}}
  %0 = graph.reduce sum %x, [0] {graph.adds_samples} : tensor<4xf32>
  %1 = graph.mul %0, %half : tensor<f32>
  %2 = graph.mul %1, %half : tensor<f32>
  %3 = graph.neg %1 : tensor<f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}
