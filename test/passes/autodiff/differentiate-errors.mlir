// RUN: pcc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --autodiff-differentiate

// All ops without a derivative are named at once. Ops that no gradient passes are not.

module {
  graph.parameter @w : tensor<f32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<f32> {graph.role = #graph.role<parameter "w">},
                     %x: tensor<f32> {graph.role = #graph.role<input "x">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<f32> {graph.role = #graph.role<output "y">}) {
    // expected-error@unknown {{no derivative of 'test.unknown' for op 'first'}}
    %0 = "test.unknown"(%w) : (tensor<f32>) -> tensor<f32> loc("first")
    %data = "test.unknown"(%x) : (tensor<f32>) -> tensor<f32>
    %unused = "test.unknown"(%w) : (tensor<f32>) -> tensor<f32>
    // expected-error @below {{no derivative of 'graph.sgd': an optimizer step is not part of a model}}
    %1 = graph.sgd %0, %data, %x : tensor<f32>, tensor<f32>
    return %1, %unused : tensor<f32>, tensor<f32>
  }
}

// -----

// expected-error @below {{expected a function 'forward'; import a model first}}
module {
}

// -----

// expected-error @below {{expected a result with the role of a loss; attach one with '--loss', as in '--loss=softmax_cross_entropy'}}
func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<output "y">}) {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{expected one result with the role of a loss, got 2}}
func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<loss>},
                                        tensor<f32> {graph.role = #graph.role<loss>}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expected a float scalar as loss, got 'tensor<2xf32>'}}
func.func @forward(%x: tensor<2xf32>) -> (tensor<2xf32> {graph.role = #graph.role<loss>}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{argument #0 is parameter 'w', which no graph.parameter declares}}
func.func @forward(%w: tensor<f32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{expected at least one trainable parameter}}
func.func @forward(%x: tensor<f32> {graph.role = #graph.role<input "x">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %x : tensor<f32>
}

// -----

func.func @forward(%x: tensor<f32>) -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %x : tensor<f32>
}
// expected-error @below {{the model is differentiated already, in 'forward_backward'}}
func.func @forward_backward() {
  return
}

// -----

// A parameter without influence is reported, and not trained.

graph.parameter @w : tensor<f32> init(#graph.init<zeros>)
graph.parameter @idle : tensor<f32> init(#graph.init<zeros>)
// expected-warning @below {{parameter 'idle' does not influence the loss; it is not trained}}
func.func @forward(%w: tensor<f32> {graph.role = #graph.role<parameter "w">},
                   %idle: tensor<f32> {graph.role = #graph.role<parameter "idle">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %w : tensor<f32>
}

// -----

graph.parameter @idle : tensor<f32> init(#graph.init<zeros>)
// expected-warning @below {{parameter 'idle' does not influence the loss; it is not trained}}
// expected-error @below {{expected a trainable parameter that influences the loss}}
func.func @forward(%x: tensor<f32> {graph.role = #graph.role<input "x">},
                   %idle: tensor<f32> {graph.role = #graph.role<parameter "idle">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %x : tensor<f32>
}

// -----

// A parameter behind a step has gradient zero, as in torch: an optimizer may decay it.

graph.parameter @w : tensor<f32> init(#graph.init<zeros>)
graph.parameter @rounded : tensor<f32> init(#graph.init<zeros>)
// expected-warning @below {{parameter 'rounded' influences the loss only through steps; its gradient is zero}}
func.func @forward(%w: tensor<f32> {graph.role = #graph.role<parameter "w">},
                   %rounded: tensor<f32> {graph.role = #graph.role<parameter "rounded">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.floor %rounded : tensor<f32>
  %1 = graph.add %w, %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// All uses of a parameter have one type.

graph.parameter @w : tensor<2xf32> init(#graph.init<zeros>)
// expected-error @below {{argument #0 is parameter 'w': expected its declared type 'tensor<2xf32>', got 'tensor<f32>'}}
func.func @forward(%w: tensor<f32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %w : tensor<f32>
}

// -----

// A reduce-scatter has a derivative only if it is a sum.

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    // expected-error @below {{no derivative of 'dist.reduce_scatter': implemented only for sums}}
    %0 = dist.reduce_scatter max %w axis = 0 : tensor<4xf32> to tensor<2xf32>
    // expected-error @below {{no derivative of 'dist.reshard': reshards are inserted after differentiation}}
    %1 = dist.reshard %0 from [dp] to [_] : tensor<2xf32>
    %loss = graph.reduce sum %1, [0] : tensor<2xf32>
    return %loss : tensor<f32>
  }
}

// -----

// A parameter whose ranks hold blocks.

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>)
  // expected-error @below {{argument #0 is parameter 'w': expected its declared type 'tensor<2xf32>', got 'tensor<4xf32>'}}
  func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[dp]>})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    %loss = graph.reduce sum %w, [0] : tensor<4xf32>
    return %loss : tensor<f32>
  }
}
