// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// conv2d C1
func.func @conv2d_strides(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d' op expected 2 numbers in 'strides', got 1}}
  %0 = graph.conv2d %x, %w {strides = array<i64: 1>} : tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d C2
func.func @conv2d_no_stride(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d' op expected 'strides' in [1, 16777216], got 0}}
  %0 = graph.conv2d %x, %w {strides = array<i64: 0, 1>} : tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d C3
func.func @conv2d_rank(%x: tensor<1x2x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d' op expected 'input' of rank 4, got 3}}
  %0 = graph.conv2d %x, %w : tensor<1x2x4xf32>, tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d C4
func.func @conv2d_large(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d' op expected windows of 5 in dimension 2 not to be larger than 4 with padding}}
  %0 = graph.conv2d %x, %w {dilations = array<i64: 2, 1>} : tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d C5
func.func @conv2d_types(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf16>) {
  // expected-error @+1 {{'graph.conv2d' op expected equal element types, got 'f32' in 'input' and 'f16' in 'weight'}}
  %0 = graph.conv2d %x, %w : tensor<1x2x4x4xf32>, tensor<3x2x3x3xf16>
  return
}

// -----

// conv2d C6
func.func @conv2d_channels(%x: tensor<1x3x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d' op expected the weight's 2 input channels to divide the input's 3}}
  %0 = graph.conv2d %x, %w : tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d C7
func.func @conv2d_groups(%x: tensor<1x4x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d' op expected 2 groups to divide 3 output channels}}
  %0 = graph.conv2d %x, %w : tensor<1x4x4x4xf32>, tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d_input_gradient C8
func.func @input_gradient(%g: tensor<1x3x3x2xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv2d_input_gradient' op expected 'gradient' of shape [1, 3, 2, 2], got [1, 3, 3, 2]}}
  %0 = graph.conv2d_input_gradient %g, %w : tensor<1x3x3x2xf32>, tensor<3x2x3x3xf32> to tensor<1x2x4x4xf32>
  return
}

// -----

// conv2d_weight_gradient C8
func.func @weight_gradient(%x: tensor<1x2x4x4xf32>, %g: tensor<1x3x2x3xf32>) {
  // expected-error @+1 {{'graph.conv2d_weight_gradient' op expected 'gradient' of shape [1, 3, 2, 2], got [1, 3, 2, 3]}}
  %0 = graph.conv2d_weight_gradient %x, %g : tensor<1x2x4x4xf32>, tensor<1x3x2x3xf32> to tensor<3x2x3x3xf32>
  return
}

// -----

// conv2d_weight_gradient C3: a weight of no window
func.func @weight_gradient_rank(%x: tensor<1x2x4x4xf32>, %g: tensor<1x3x2x2xf32>) {
  // expected-error @+1 {{'graph.conv2d_weight_gradient' op expected 'weight' of rank 4, got 1}}
  %0 = graph.conv2d_weight_gradient %x, %g : tensor<1x2x4x4xf32>, tensor<1x3x2x2xf32> to tensor<3xf32>
  return
}

// -----

// max_pool C2
func.func @max_pool_window(%x: tensor<1x2x4x4xf32>) {
  // expected-error @+1 {{'graph.max_pool' op expected 'window' in [1, 16777216], got 0}}
  %0 = graph.max_pool %x window = [0, 1] : tensor<1x2x4x4xf32>
  return
}

// -----

// max_pool C3
func.func @max_pool_rank(%x: tensor<2x4x4xf32>) {
  // expected-error @+1 {{'graph.max_pool' op expected 'input' of rank 4, got 3}}
  %0 = graph.max_pool %x window = [1, 1] : tensor<2x4x4xf32>
  return
}

// -----

// avg_pool C4
func.func @avg_pool_large(%x: tensor<1x2x4x4xf32>) {
  // expected-error @+1 {{'graph.avg_pool' op expected windows of 5 in dimension 3 not to be larger than 4 with padding}}
  %0 = graph.avg_pool %x window = [4, 5] : tensor<1x2x4x4xf32>
  return
}

// -----

// avg_pool C5
func.func @avg_pool_padding(%x: tensor<1x2x4x4xf32>) {
  // expected-error @+1 {{'graph.avg_pool' op expected 'padding' below the window's extent of 2 in dimension 2, got 2}}
  %0 = graph.avg_pool %x window = [2, 2] {padding = array<i64: 0, 0, 2, 0>} : tensor<1x2x4x4xf32>
  return
}

// -----

// max_pool_gradient C6
func.func @max_pool_gradient_shape(%x: tensor<1x2x4x4xf32>, %g: tensor<1x2x4x2xf32>) {
  // expected-error @+1 {{'graph.max_pool_gradient' op expected 'gradient' of shape [1, 2, 2, 2], got [1, 2, 4, 2]}}
  %0 = graph.max_pool_gradient %x, %g window = [2, 2] {strides = array<i64: 2, 2>} : tensor<1x2x4x4xf32>, tensor<1x2x4x2xf32>
  return
}

// -----

// max_pool_gradient C7
func.func @max_pool_gradient_type(%x: tensor<1x2x4x4xf32>, %g: tensor<1x2x2x2xbf16>) {
  // expected-error @+1 {{'graph.max_pool_gradient' op expected equal element types, got 'f32' in 'input' and 'bf16' in 'gradient'}}
  %0 = graph.max_pool_gradient %x, %g window = [2, 2] {strides = array<i64: 2, 2>} : tensor<1x2x4x4xf32>, tensor<1x2x2x2xbf16>
  return
}
