// Cases of the gradient check (../Case.h): convolutions of every form, and pooling.

func.func @conv2d(%x: tensor<2x3x5x4xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<2x2x3x3xf32> {
  %r = graph.conv2d %x, %w : tensor<2x3x5x4xf32>, tensor<2x3x3x2xf32>
  return %r : tensor<2x2x3x3xf32>
}

// Padding on all sides, different strides for rows and for columns.
func.func @conv2d_strided(%x: tensor<1x2x5x6xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x3x6xf32> {
  %r = graph.conv2d %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x5x6xf32>, tensor<3x2x3x3xf32>
  return %r : tensor<1x3x3x6xf32>
}

// Rows and columns outside all windows.
func.func @conv2d_unseen(%x: tensor<1x1x6x6xf32>, %w: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %r = graph.conv2d %x, %w {strides = array<i64: 3, 3>} : tensor<1x1x6x6xf32>, tensor<1x1x2x2xf32>
  return %r : tensor<1x1x2x2xf32>
}

// Dilation, with padding on one side.
func.func @conv2d_dilated(%x: tensor<1x2x5x5xf32>, %w: tensor<2x2x2x2xf32>) -> tensor<1x2x3x5xf32> {
  %r = graph.conv2d %x, %w {padding = array<i64: 0, 2, 0, 0>, dilations = array<i64: 2, 2>} : tensor<1x2x5x5xf32>, tensor<2x2x2x2xf32>
  return %r : tensor<1x2x3x5xf32>
}

func.func @conv2d_grouped(%x: tensor<2x4x3x3xf32>, %w: tensor<6x2x2x2xf32>) -> tensor<2x6x2x2xf32> {
  %r = graph.conv2d %x, %w : tensor<2x4x3x3xf32>, tensor<6x2x2x2xf32>
  return %r : tensor<2x6x2x2xf32>
}

// One group for each channel.
func.func @conv2d_depthwise(%x: tensor<1x3x4x4xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<1x3x4x4xf32> {
  %r = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<1x3x4x4xf32>, tensor<3x1x3x3xf32>
  return %r : tensor<1x3x4x4xf32>
}

func.func @conv2d_input_gradient(%g: tensor<1x4x2x3xf32>, %w: tensor<4x1x3x2xf32>) -> tensor<1x2x5x4xf32> {
  %r = graph.conv2d_input_gradient %g, %w {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 1, 0>} : tensor<1x4x2x3xf32>, tensor<4x1x3x2xf32> to tensor<1x2x5x4xf32>
  return %r : tensor<1x2x5x4xf32>
}

func.func @conv2d_weight_gradient(%x: tensor<1x2x5x4xf32>, %g: tensor<1x4x2x3xf32>) -> tensor<4x1x3x2xf32> {
  %r = graph.conv2d_weight_gradient %x, %g {strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 1, 0>} : tensor<1x2x5x4xf32>, tensor<1x4x2x3xf32> to tensor<4x1x3x2xf32>
  return %r : tensor<4x1x3x2xf32>
}

func.func @max_pool(%x: tensor<2x2x5x6xf32>) -> tensor<2x2x3x3xf32> {
  %r = graph.max_pool %x window = [3, 2] {strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 1, 0>} : tensor<2x2x5x6xf32>
  return %r : tensor<2x2x3x3xf32>
}

// Overlapping windows with dilation.
func.func @max_pool_dilated(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32> {
  %r = graph.max_pool %x window = [2, 2] {dilations = array<i64: 2, 2>} : tensor<1x1x5x5xf32>
  return %r : tensor<1x1x3x3xf32>
}

// Means over the elements inside the image.
func.func @avg_pool(%x: tensor<2x2x5x4xf32>) -> tensor<2x2x3x4xf32> {
  %r = graph.avg_pool %x window = [3, 3] {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 1, 1>} : tensor<2x2x5x4xf32>
  return %r : tensor<2x2x3x4xf32>
}

// Means that include padding zeros.
func.func @avg_pool_with_padding(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  %r = graph.avg_pool %x window = [2, 2] {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, count_include_pad} : tensor<1x2x4x4xf32>
  return %r : tensor<1x2x3x3xf32>
}
