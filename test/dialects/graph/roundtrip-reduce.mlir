// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// CHECK-LABEL: func.func @contraction
func.func @contraction(%a: tensor<3x8x4xf32>, %b: tensor<3x8x6xf32>) -> tensor<3x4x6xf32> {
  // CHECK: graph.matmul %arg0, %arg1 {transpose_lhs} : tensor<3x8x4xf32>, tensor<3x8x6xf32>
  %0 = graph.matmul %a, %b {transpose_lhs} : tensor<3x8x4xf32>, tensor<3x8x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<4x5xf32>, %labels: tensor<4xi64>) {
  // CHECK: graph.reduce sum %arg0, [0, 1] : tensor<4x5xf32>
  %0 = graph.reduce sum %x, [0, 1] : tensor<4x5xf32>
  // CHECK: graph.reduce mean %arg0, [1] : tensor<4x5xf32>
  %1 = graph.reduce mean %x, [1] : tensor<4x5xf32>
  // CHECK: graph.reduce max %arg0, [] : tensor<4x5xf32>
  %2 = graph.reduce max %x, [] : tensor<4x5xf32>
  // CHECK: graph.softmax %arg0 axis = 1 : tensor<4x5xf32>
  %3 = graph.softmax %x axis = 1 : tensor<4x5xf32>
  // CHECK: graph.softmax_cross_entropy %arg0, %arg1 : tensor<4x5xf32>, tensor<4xi64>
  %4 = graph.softmax_cross_entropy %x, %labels : tensor<4x5xf32>, tensor<4xi64>
  // CHECK: graph.softmax_cross_entropy %arg0, %arg1 {ignore_index = -100 : i64, reduction = #graph.loss_reduction<sum>} : tensor<4x5xf32>, tensor<4xi64>
  %5 = graph.softmax_cross_entropy %x, %labels
    {reduction = #graph.loss_reduction<sum>, ignore_index = -100} : tensor<4x5xf32>, tensor<4xi64>
  // CHECK: graph.softmax_cross_entropy %arg0, %arg0 : tensor<4x5xf32>, tensor<4x5xf32>
  %6 = graph.softmax_cross_entropy %x, %x : tensor<4x5xf32>, tensor<4x5xf32>
  return
}

// CHECK-LABEL: func.func @optimizer
func.func @optimizer(%p: tensor<4xf32>, %g: tensor<4xf32>, %v: tensor<4xf32>, %rate: tensor<f32>,
                     %step: tensor<i64>, %q: tensor<4xbf16>) {
  // CHECK: graph.sgd %arg0, %arg1, %arg3 {weight_decay = 1.000000e-04 : f64} : tensor<4xf32>, tensor<f32>
  %0 = graph.sgd %p, %g, %rate {weight_decay = 1.0e-4} : tensor<4xf32>, tensor<f32>
  // CHECK: graph.sgd %arg0, %arg1, %arg3 scale %arg3 : tensor<f32> {zero_skips} : tensor<4xf32>, tensor<f32>
  %10 = graph.sgd %p, %g, %rate scale %rate : tensor<f32> {zero_skips} : tensor<4xf32>, tensor<f32>
  // CHECK: graph.momentum %arg0, %arg1, %arg2, %arg3 {momentum = 9.000000e-01 : f64, nesterov} : tensor<4xf32>, tensor<f32>
  %1:2 = graph.momentum %p, %g, %v, %rate {momentum = 0.9, nesterov} : tensor<4xf32>, tensor<f32>
  // CHECK: graph.adam %arg0, %arg1, %arg2, %arg2, %arg3, %arg4 {beta1 = 5.000000e-01 : f64, beta2 = 2.500000e-01 : f64, epsilon = 1.250000e-01 : f64} : tensor<4xf32>, tensor<f32>, tensor<i64>
  %2:3 = graph.adam %p, %g, %v, %v, %rate, %step {beta1 = 0.5, beta2 = 0.25, epsilon = 0.125} : tensor<4xf32>, tensor<f32>, tensor<i64>
  // Types of gradient and states that differ from the parameter's type are in brackets.
  // CHECK: graph.adam_weight_decay %arg5, %arg1, %arg2, %arg2, %arg3, %arg4 {{{.*}}weight_decay = 5.000000e-01 : f64} : tensor<4xbf16> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>), tensor<f32>, tensor<i64>
  %3:3 = graph.adam_weight_decay %q, %g, %v, %v, %rate, %step {beta1 = 0.5, beta2 = 0.25, epsilon = 0.125, weight_decay = 0.5} : tensor<4xbf16> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>), tensor<f32>, tensor<i64>
  // CHECK: graph.lamb %arg5, %arg5, %arg2, %arg2, %arg3, %arg4 {{.*}} : tensor<4xbf16> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>), tensor<f32>, tensor<i64>
  %4:3 = graph.lamb %q, %q, %v, %v, %rate, %step {beta1 = 0.5, beta2 = 0.25, epsilon = 0.125} : tensor<4xbf16> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>), tensor<f32>, tensor<i64>
  // CHECK: graph.adagrad %arg0, %arg1, %arg2, %arg3 {epsilon = 1.250000e-01 : f64} : tensor<4xf32>, tensor<f32>
  %5:2 = graph.adagrad %p, %g, %v, %rate {epsilon = 0.125} : tensor<4xf32>, tensor<f32>
  // CHECK: graph.sgd %arg5, %arg1, %arg3 : tensor<4xbf16> (tensor<4xf32>), tensor<f32>
  %6 = graph.sgd %q, %g, %rate : tensor<4xbf16> (tensor<4xf32>), tensor<f32>
  return
}
