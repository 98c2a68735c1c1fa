// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// CHECK-LABEL: func.func @trailing
func.func @trailing(%x: tensor<4x6x5xf32>, %s: tensor<6x5xf32>, %v: tensor<5xf32>) {
  // CHECK: graph.log_softmax %arg0 axis = 1 : tensor<4x6x5xf32>
  %0 = graph.log_softmax %x axis = 1 : tensor<4x6x5xf32>
  // CHECK: graph.layer_norm %arg0, %arg1, %arg1 axis = 1 epsilon = 1.250000e-01 : tensor<4x6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  %1 = graph.layer_norm %x, %s, %s axis = 1 epsilon = 0.125 : tensor<4x6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  // CHECK: graph.layer_norm %arg0, %arg2 axis = 2 epsilon = 0.000000e+00 : tensor<4x6x5xf32>, tensor<5xf32>
  %2 = graph.layer_norm %x, %v axis = 2 epsilon = 0.0 : tensor<4x6x5xf32>, tensor<5xf32>
  // CHECK: graph.rms_norm %arg0, %arg2 axis = 2 epsilon = 1.250000e-01 : tensor<4x6x5xf32>, tensor<5xf32>
  %3 = graph.rms_norm %x, %v axis = 2 epsilon = 0.125 : tensor<4x6x5xf32>, tensor<5xf32>
  return
}

// CHECK-LABEL: func.func @channels
func.func @channels(%x: tensor<4x6x5xbf16>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // CHECK: graph.batch_norm %arg0, %arg1, %arg1, %arg2, %arg2 epsilon = 1.250000e-01 momentum = 5.000000e-01 : tensor<4x6x5xbf16>, tensor<6xf32>, tensor<6xf32>
  %0:3 = graph.batch_norm %x, %s, %s, %r, %r epsilon = 0.125 momentum = 0.5 : tensor<4x6x5xbf16>, tensor<6xf32>, tensor<6xf32>
  // CHECK: graph.batch_norm_inference %arg0, %arg1, %arg1, %arg2, %arg2 epsilon = 1.250000e-01 : tensor<4x6x5xbf16>, tensor<6xf32>, tensor<6xf32>
  %1 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = 0.125 : tensor<4x6x5xbf16>, tensor<6xf32>, tensor<6xf32>
  // The training momentum, if it differs from the default.
  // CHECK: graph.batch_norm_inference {{.*}} epsilon = 1.250000e-01 {momentum = 5.000000e-01 : f64}
  %2 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = 0.125 {momentum = 0.5 : f64} : tensor<4x6x5xbf16>, tensor<6xf32>, tensor<6xf32>
  return
}

// CHECK-LABEL: func.func @random
func.func @random(%x: tensor<4x6xf16>, %index: tensor<4x6xi64>, %seed: tensor<i64>) {
  // CHECK: graph.dropout %arg0, %arg1, %arg2 rate = 2.500000e-01 : tensor<4x6xf16>, tensor<i64>
  %0 = graph.dropout %x, %index, %seed rate = 0.25 : tensor<4x6xf16>, tensor<i64>
  return
}

// CHECK-LABEL: func.func @losses
func.func @losses(%x: tensor<4x6xf32>, %labels: tensor<4xi32>) {
  // CHECK: graph.nll %arg0, %arg1 : tensor<4x6xf32>, tensor<4xi32>
  %0 = graph.nll %x, %labels : tensor<4x6xf32>, tensor<4xi32>
  // CHECK: graph.nll %arg0, %arg1 {ignore_index = 2 : i64, reduction = #graph.loss_reduction<sum>} : tensor<4x6xf32>, tensor<4xi32>
  %1 = graph.nll %x, %labels {ignore_index = 2, reduction = #graph.loss_reduction<sum>} : tensor<4x6xf32>, tensor<4xi32>
  // CHECK: graph.mse %arg0, %arg0 : tensor<4x6xf32>
  %2 = graph.mse %x, %x : tensor<4x6xf32>
  // CHECK: graph.sigmoid_cross_entropy %arg0, %arg0 {reduction = #graph.loss_reduction<sum>} : tensor<4x6xf32>
  %3 = graph.sigmoid_cross_entropy %x, %x {reduction = #graph.loss_reduction<sum>} : tensor<4x6xf32>
  return
}
