// Cases of the gradient check (../Case.h): activations. The tolerance of gelu is wider because the
// constants of its derivative are irrational and held in f32.

func.func @relu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.relu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @leaky_relu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.leaky_relu %x {alpha = 0.25 : f64} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @leaky_relu_negative(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.leaky_relu %x {alpha = -0.5 : f64} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @elu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.elu %x {alpha = 1.5 : f64} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @elu_negative(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.elu %x {alpha = -0.5 : f64} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @gelu_exact(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {check.tolerance = 1.0e-7} {
  %r = graph.gelu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @gelu_tanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {check.tolerance = 1.0e-7} {
  %r = graph.gelu %x {form = #graph.gelu_form<tanh>} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @silu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.silu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @softplus(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.softplus %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @clamp(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.clamp %x {low = -1.0 : f64, high = 0.5 : f64} : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
