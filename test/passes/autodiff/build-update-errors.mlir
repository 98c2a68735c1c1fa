// RUN: pcc-opt %s --split-input-file --verify-diagnostics --autodiff-build-update=optimizer=momentum,lr=0.01

// expected-error @below {{expected a function 'forward_backward'; run --autodiff-differentiate first}}
module {
}

// -----

// expected-error @below {{expected at least one result with the role of a gradient}}
func.func @forward_backward() {
  return
}

// -----

// expected-error @below {{result #0 is the gradient of 'w', which no graph.parameter declares}}
func.func @forward_backward(%x: tensor<f32>)
    -> (tensor<f32> {graph.role = #graph.role<gradient "w">}) {
  return %x : tensor<f32>
}

// -----

// The name of a state already exists.

graph.parameter @w : tensor<f32> init(#graph.init<zeros>)
// expected-error @below {{'w.velocity' is the name of a state of optimizer 'momentum': rename this symbol}}
graph.parameter @w.velocity : tensor<f32> init(#graph.init<zeros>)
func.func @forward_backward(%x: tensor<f32>)
    -> (tensor<f32> {graph.role = #graph.role<gradient "w">}) {
  return %x : tensor<f32>
}

// -----

func.func @forward_backward() {
  return
}
// expected-error @below {{the module has an 'update' already}}
func.func @update() {
  return
}

// -----

// Gradients arrive in f32 or in the parameter's type.

graph.parameter @w : tensor<2xbf16> init(#graph.init<zeros>)
// expected-error @below {{result #0 is the gradient of 'w': expected 'tensor<2xf32>', got 'tensor<2xf16>'}}
func.func @forward_backward(%x: tensor<2xf16>)
    -> (tensor<2xf16> {graph.role = #graph.role<gradient "w">}) {
  return %x : tensor<2xf16>
}
