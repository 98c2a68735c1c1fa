// Cases of the gradient check (../Case.h): losses.

func.func @cross_entropy_mean(%x: tensor<4x3xf32>, %t: tensor<4xi64> {check.values = dense<[2, 0, 1, 2]> : tensor<4xi64>}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t : tensor<4x3xf32>, tensor<4xi64>
  return %r : tensor<f32>
}

func.func @cross_entropy_sum(%x: tensor<4x3xf32>, %t: tensor<4xi64> {check.values = dense<[2, 0, 1, 2]> : tensor<4xi64>}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t {reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>, tensor<4xi64>
  return %r : tensor<f32>
}

func.func @cross_entropy_ignore_mean(%x: tensor<4x3xf32>, %t: tensor<4xi64> {check.values = dense<[2, 0, 1, 0]> : tensor<4xi64>}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t {ignore_index = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  return %r : tensor<f32>
}

func.func @cross_entropy_ignore_sum(%x: tensor<4x3xf32>, %t: tensor<4xi64> {check.values = dense<[2, -100, 1, 0]> : tensor<4xi64>}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t {ignore_index = -100 : i64, reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>, tensor<4xi64>
  return %r : tensor<f32>
}

// A label outside the classes has no term.
func.func @cross_entropy_outside(%x: tensor<4x3xf32>, %t: tensor<4xi64> {check.values = dense<[2, 3, -1, 0]> : tensor<4xi64>}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t : tensor<4x3xf32>, tensor<4xi64>
  return %r : tensor<f32>
}

func.func @cross_entropy_sequence(%x: tensor<2x4x3xf32>, %t: tensor<2x4xi32> {check.range = [0.00, 3.00]}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t : tensor<2x4x3xf32>, tensor<2x4xi32>
  return %r : tensor<f32>
}

func.func @cross_entropy_single(%x: tensor<3xf32>, %t: tensor<i64> {check.range = [0.00, 3.00]}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t : tensor<3xf32>, tensor<i64>
  return %r : tensor<f32>
}

// Probabilities whose sum over the classes is not one.
func.func @cross_entropy_dense_mean(%x: tensor<4x3xf32>, %t: tensor<4x3xf32> {check.range = [0.00, 1.00]}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t : tensor<4x3xf32>, tensor<4x3xf32>
  return %r : tensor<f32>
}

func.func @cross_entropy_dense_sum(%x: tensor<4x3xf32>, %t: tensor<4x3xf32> {check.range = [0.00, 1.00]}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t {reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>, tensor<4x3xf32>
  return %r : tensor<f32>
}

// 128 classes are one more than the positive range of i8: every nonnegative label is a class.
func.func @cross_entropy_bytes(%x: tensor<2x128xf32>, %t: tensor<2xi8> {check.values = dense<[127, -1]> : tensor<2xi8>}) -> tensor<f32> {
  %r = graph.softmax_cross_entropy %x, %t {reduction = #graph.loss_reduction<sum>} : tensor<2x128xf32>, tensor<2xi8>
  return %r : tensor<f32>
}

func.func @nll_mean(%x: tensor<4x3xf32>, %t: tensor<4xi64> {check.values = dense<[2, 0, 1, 2]> : tensor<4xi64>}) -> tensor<f32> {
  %r = graph.nll %x, %t : tensor<4x3xf32>, tensor<4xi64>
  return %r : tensor<f32>
}

// A label outside the classes and an ignored label have no term; the former counts in the mean.
func.func @nll_ignore_mean(%x: tensor<4x3xf32>, %t: tensor<4xi32> {check.values = dense<[2, 3, 1, 0]> : tensor<4xi32>}) -> tensor<f32> {
  %r = graph.nll %x, %t {ignore_index = 1 : i64} : tensor<4x3xf32>, tensor<4xi32>
  return %r : tensor<f32>
}

func.func @nll_ignore_sum(%x: tensor<2x2x3xf32>, %t: tensor<2x2xi64> {check.values = dense<[[2, 1], [1, 0]]> : tensor<2x2xi64>}) -> tensor<f32> {
  %r = graph.nll %x, %t {ignore_index = 0 : i64, reduction = #graph.loss_reduction<sum>} : tensor<2x2x3xf32>, tensor<2x2xi64>
  return %r : tensor<f32>
}

func.func @mse_mean(%x: tensor<4x4xf32>, %t: tensor<4x4xf32>) -> tensor<f32> {
  %r = graph.mse %x, %t : tensor<4x4xf32>
  return %r : tensor<f32>
}

func.func @mse_sum(%x: tensor<4x3xf32>, %t: tensor<4x3xf32>) -> tensor<f32> {
  %r = graph.mse %x, %t {reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>
  return %r : tensor<f32>
}

func.func @sigmoid_cross_entropy_mean(%x: tensor<4x4xf32>, %t: tensor<4x4xf32> {check.range = [0.00, 1.00]}) -> tensor<f32> {
  %r = graph.sigmoid_cross_entropy %x, %t : tensor<4x4xf32>
  return %r : tensor<f32>
}

func.func @sigmoid_cross_entropy_sum(%x: tensor<4x3xf32>, %t: tensor<4x3xf32> {check.range = [0.00, 1.00]}) -> tensor<f32> {
  %r = graph.sigmoid_cross_entropy %x, %t {reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>
  return %r : tensor<f32>
}
