// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<2x4x8x6xf32>, %w: tensor<6x2x3x3xf32>) {
  // CHECK: %[[Y:.*]] = graph.conv2d %arg0, %arg1 : tensor<2x4x8x6xf32>, tensor<6x2x3x3xf32>
  %0 = graph.conv2d %x, %w : tensor<2x4x8x6xf32>, tensor<6x2x3x3xf32>
  // CHECK: graph.conv2d_input_gradient %[[Y]], %arg1 : tensor<2x6x6x4xf32>, tensor<6x2x3x3xf32> to tensor<2x4x8x6xf32>
  %1 = graph.conv2d_input_gradient %0, %w : tensor<2x6x6x4xf32>, tensor<6x2x3x3xf32> to tensor<2x4x8x6xf32>
  // CHECK: graph.conv2d_weight_gradient %arg0, %[[Y]] : tensor<2x4x8x6xf32>, tensor<2x6x6x4xf32> to tensor<6x2x3x3xf32>
  %2 = graph.conv2d_weight_gradient %x, %0 : tensor<2x4x8x6xf32>, tensor<2x6x6x4xf32> to tensor<6x2x3x3xf32>
  // CHECK: graph.conv2d %arg0, %arg1 {dilations = array<i64: 2, 1>, padding = array<i64: 2, 1, 1, 0>, strides = array<i64: 3, 1>} : tensor<2x4x8x6xf32>, tensor<6x2x3x3xf32>
  %3 = graph.conv2d %x, %w {strides = array<i64: 3, 1>, padding = array<i64: 2, 1, 1, 0>, dilations = array<i64: 2, 1>} : tensor<2x4x8x6xf32>, tensor<6x2x3x3xf32>
  return
}

// Three windows of 3 with stride 2 cover 7 of the 8 rows.
// CHECK-LABEL: func.func @pooling
func.func @pooling(%x: tensor<2x4x8x6xf32>, %g: tensor<2x4x3x2xf32>) {
  // CHECK: graph.max_pool %arg0 window = [3, 3] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>
  %0 = graph.max_pool %x window = [3, 3] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>
  // CHECK: graph.max_pool_gradient %arg0, %arg1 window = [3, 3] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>, tensor<2x4x3x2xf32>
  %1 = graph.max_pool_gradient %x, %g window = [3, 3] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>, tensor<2x4x3x2xf32>
  // CHECK: graph.avg_pool %arg0 window = [2, 2] {count_include_pad, padding = array<i64: 1, 1, 0, 0>} : tensor<2x4x8x6xf32>
  %2 = graph.avg_pool %x window = [2, 2] {padding = array<i64: 1, 1, 0, 0>, count_include_pad} : tensor<2x4x8x6xf32>
  return
}
