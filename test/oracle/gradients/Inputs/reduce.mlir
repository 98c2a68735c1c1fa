// Cases of the gradient check (../Case.h): reductions and softmax. The tolerance of mean is wider
// because the reciprocal of the number of elements is held in f32.

func.func @reduce_sum(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %r = graph.reduce sum %x, [0, 2] : tensor<2x3x4xf32>
  return %r : tensor<3xf32>
}

func.func @reduce_sum_all(%x: tensor<2x3xf32>) -> tensor<f32> {
  %r = graph.reduce sum %x, [0, 1] : tensor<2x3xf32>
  return %r : tensor<f32>
}

func.func @reduce_mean(%x: tensor<2x3x4xf32>) -> tensor<3xf32>
    attributes {check.tolerance = 1.0e-7} {
  %r = graph.reduce mean %x, [0, 2] : tensor<2x3x4xf32>
  return %r : tensor<3xf32>
}

func.func @reduce_mean_all(%x: tensor<2x3xf32>) -> tensor<f32>
    attributes {check.tolerance = 1.0e-7} {
  %r = graph.reduce mean %x, [0, 1] : tensor<2x3xf32>
  return %r : tensor<f32>
}

func.func @reduce_max(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %r = graph.reduce max %x, [0, 2] : tensor<2x3x4xf32>
  return %r : tensor<3xf32>
}

func.func @reduce_max_all(%x: tensor<2x3xf32>) -> tensor<f32> {
  %r = graph.reduce max %x, [0, 1] : tensor<2x3xf32>
  return %r : tensor<f32>
}

func.func @reduce_min(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %r = graph.reduce min %x, [0, 2] : tensor<2x3x4xf32>
  return %r : tensor<3xf32>
}

func.func @reduce_min_all(%x: tensor<2x3xf32>) -> tensor<f32> {
  %r = graph.reduce min %x, [0, 1] : tensor<2x3xf32>
  return %r : tensor<f32>
}

func.func @reduce_prod(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %r = graph.reduce prod %x, [0, 2] : tensor<2x3x4xf32>
  return %r : tensor<3xf32>
}

func.func @reduce_prod_all(%x: tensor<2x3xf32>) -> tensor<f32> {
  %r = graph.reduce prod %x, [0, 1] : tensor<2x3xf32>
  return %r : tensor<f32>
}

// Two elements that tie share the gradient, as central differences do.
func.func @reduce_max_ties(%x: tensor<4xf32> {check.values = dense<[3.0, 1.0, 3.0, 2.0]> : tensor<4xf32>}) -> tensor<f32> {
  %r = graph.reduce max %x, [0] : tensor<4xf32>
  return %r : tensor<f32>
}

// Two elements that tie share the gradient, as central differences do.
func.func @reduce_min_ties(%x: tensor<4xf32> {check.values = dense<[3.0, 1.0, 1.0, 2.0]> : tensor<4xf32>}) -> tensor<f32> {
  %r = graph.reduce min %x, [0] : tensor<4xf32>
  return %r : tensor<f32>
}

// The gradient of a single zero is the product of the other elements; two zeros have gradient zero.
func.func @reduce_prod_zeros(%x: tensor<3x3xf32> {check.values = dense<[[0.0, 2.0, 3.0], [0.0, 0.0, 5.0], [1.5, 2.0, -1.0]]> : tensor<3x3xf32>}) -> tensor<3xf32> {
  %r = graph.reduce prod %x, [1] : tensor<3x3xf32>
  return %r : tensor<3xf32>
}

func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = graph.softmax %x axis = 1 : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func @softmax_last(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.softmax %x axis = 1 : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
