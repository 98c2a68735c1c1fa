// RUN: pcc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --autodiff-attach-loss

// The module must have a model to which the loss is attached.

// expected-error @below {{expected a function 'forward'; import a model first}}
module {
}

// -----

// A model with a loss of its own needs no --loss.

// expected-error @below {{the model has a loss of its own: leave --loss out}}
func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %x : tensor<f32>
}

// -----

// A second loss is refused.

func.func @forward(%x: tensor<3xf32>) -> (tensor<3xf32> {graph.role = #graph.role<output "y">}) {
  return %x : tensor<3xf32>
}
// expected-error @below {{a loss is attached already, in 'forward_loss'}}
func.func @forward_loss(%x: tensor<3xf32>) {
  return
}

// -----

// The loss needs an output of the model.

// expected-error @below {{expected the name of one output in --loss, got 0 to choose from; outputs: none}}
func.func @forward(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// Logits need a dimension of classes.

// expected-error @below {{output 'y' does not suit loss 'softmax_cross_entropy': expected logits with a dimension of classes, got a scalar}}
func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<output "y">}) {
  return %x : tensor<f32>
}

// -----

// Passes work on functions of one block.

// expected-error @below {{expected function 'forward' to have one block, got 2}}
func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<output "y">}) {
  "test.branch"()[^next] : () -> ()
^next:
  return %x : tensor<f32>
}

// -----

func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<output "y">}) {
  // expected-error @below {{expected function 'forward' to end with a return}}
  "test.end"() : () -> ()
}
