// RUN: pcc-opt %s --graph-decompose | FileCheck %s
// RUN: pcc-opt %s --graph-decompose -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// Normalizations and losses: composites and their decompositions compute the same.
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// The variance is the mean of squared deviations.
// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[SUM:.+]] = graph.reduce sum %[[X:.+]], [1] : tensor<4x6xf32>
// CHECK: %[[MEAN:.+]] = graph.div %[[SUM]], %{{.*}} : tensor<4xf32>
// CHECK: %[[MEANS:.+]] = graph.broadcast %[[MEAN]], [0]
// CHECK: %[[DEVIATION:.+]] = graph.sub %[[X]], %[[MEANS]]
// CHECK: %[[SQUARE:.+]] = graph.square %[[DEVIATION]]
// CHECK: graph.reduce sum %[[SQUARE]], [1]
// CHECK: graph.rsqrt %{{.*}} : tensor<4xf32>
// CHECK-NOT: graph.layer_norm
func.func @layer_norm(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = graph.layer_norm %x, %s, %b axis = 1 epsilon = 1.0e-5 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  return %0 : tensor<4x6xf32>
}

// The arithmetic is in f32.
// CHECK-LABEL: func.func @narrow
// CHECK: graph.cast %{{.*}} : tensor<2x3x4xbf16> to tensor<2x3x4xf32>
// CHECK: graph.reduce sum %{{.*}}, [1, 2] : tensor<2x3x4xf32>
// CHECK: graph.cast %{{.*}} : tensor<2x3x4xf32> to tensor<2x3x4xbf16>
func.func @narrow(%x: tensor<2x3x4xbf16>, %s: tensor<3x4xbf16>) -> tensor<2x3x4xbf16> {
  %0 = graph.layer_norm %x, %s axis = 1 epsilon = 1.0e-5 : tensor<2x3x4xbf16>, tensor<3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}

// No mean is subtracted.
// CHECK-LABEL: func.func @rms_norm
// CHECK-NOT: graph.sub
// CHECK: graph.square %arg0
func.func @rms_norm(%x: tensor<4x6xf32>, %s: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = graph.rms_norm %x, %s axis = 1 epsilon = 1.0e-5 : tensor<4x6xf32>, tensor<6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @batch_norm
// CHECK: graph.reduce sum %{{.*}}, [2] : tensor<4x3x5xf32>
// CHECK: graph.reduce sum %{{.*}}, [0] : tensor<4x3xf32>
// CHECK-NOT: graph.batch_norm
func.func @batch_norm(%x: tensor<4x3x5xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>)
    -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = graph.batch_norm %x, %s, %b, %m, %v epsilon = 1.0e-5 momentum = 0.9 : tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>
  return %0#0, %0#1, %0#2 : tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @batch_norm_inference
// CHECK-NOT: graph.reduce
// CHECK-NOT: graph.batch_norm
func.func @batch_norm_inference(%x: tensor<4x3x5xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<4x3x5xf32> {
  %0 = graph.square %v : tensor<3xf32>
  %1 = graph.batch_norm_inference %x, %s, %s, %m, %0 epsilon = 1.0e-5 : tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>
  return %1 : tensor<4x3x5xf32>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK: graph.log %{{.*}} : tensor<4xf32>
func.func @log_softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.log_softmax %x axis = 1 : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @dropout
// CHECK: %[[DRAWN:.+]] = graph.rng_uniform
// CHECK: graph.compare ge %[[DRAWN]]
// CHECK: graph.select
func.func @dropout(%x: tensor<4x6xf32>, %seed: tensor<i64>) -> tensor<4x6xf32> {
  %index = graph.iota axis = 1 : tensor<4x6xi64>
  %0 = graph.dropout %x, %index, %seed rate = 0.25 : tensor<4x6xf32>, tensor<i64>
  return %0 : tensor<4x6xf32>
}

// Other classes are selected away, not multiplied by zero.
// CHECK-LABEL: func.func @nll
// CHECK: %[[IS_LABEL:.+]] = graph.compare eq
// CHECK: graph.select %[[IS_LABEL]], %arg0
func.func @nll(%x: tensor<4x6xf32>, %l: tensor<4xi8>) -> (tensor<f32>, tensor<f32>) {
  %0 = graph.nll %x, %l : tensor<4x6xf32>, tensor<4xi8>
  %1 = graph.nll %x, %l {ignore_index = 0, reduction = #graph.loss_reduction<sum>} : tensor<4x6xf32>, tensor<4xi8>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @elements
// CHECK: graph.square
// CHECK: graph.reduce mean %{{.*}}, [0, 1]
// CHECK: graph.log1p
// CHECK: graph.reduce sum %{{.*}}, [0, 1]
func.func @elements(%x: tensor<4x6xf32>, %t: tensor<4x6xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = graph.mse %x, %t : tensor<4x6xf32>
  %1 = graph.sigmoid_cross_entropy %x, %t {reduction = #graph.loss_reduction<sum>} : tensor<4x6xf32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
