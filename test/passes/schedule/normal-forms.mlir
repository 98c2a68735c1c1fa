// RUN: pcc-opt %s --graph-decompose --graph-canonicalize --cse --fuse-assign-kernels | FileCheck %s

// A layer norm is one kernel of rows, for any normalized dimensions.
// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: task.forms = [#task.form<rows 32 x 64>]
func.func @layer_norm(%x: tensor<32x64xf32>, %s: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<32x64xf32> {
  %0 = graph.layer_norm %x, %s, %b axis = 1 epsilon = 1.0e-5 : tensor<32x64xf32>, tensor<64xf32>, tensor<64xf32>
  return %0 : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @planes
// CHECK-SAME: task.forms = [#task.form<rows 4 x 48>]
func.func @planes(%x: tensor<4x6x8xbf16>, %s: tensor<6x8xbf16>) -> tensor<4x6x8xbf16> {
  %0 = graph.layer_norm %x, %s axis = 1 epsilon = 1.0e-5 : tensor<4x6x8xbf16>, tensor<6x8xbf16>
  return %0 : tensor<4x6x8xbf16>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK-SAME: task.forms = [#task.form<rows 32 x 64>]
func.func @rms_norm(%x: tensor<32x64xf32>, %s: tensor<64xf32>) -> tensor<32x64xf32> {
  %0 = graph.rms_norm %x, %s axis = 1 epsilon = 1.0e-5 : tensor<32x64xf32>, tensor<64xf32>
  return %0 : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK-SAME: task.forms = [#task.form<rows 32 x 64>]
func.func @log_softmax(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = graph.log_softmax %x axis = 1 : tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Dropout draws its random numbers in the kernels that read it.
// CHECK-LABEL: func.func @dropout
// CHECK-SAME: task.forms = [#task.form<map 2048 x 1>]
func.func @dropout(%x: tensor<32x64xf32>, %seed: tensor<i64>) -> tensor<32x64xf32> {
  %index = graph.iota axis = 1 : tensor<32x64xi64>
  %0 = graph.dropout %x, %index, %seed rate = 0.25 : tensor<32x64xf32>, tensor<i64>
  return %0 : tensor<32x64xf32>
}

// Each statistic of a batch norm is one kernel of planes, which also computes the deviations, and
// one over the samples; the result is a map.
// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: task.forms = [#task.form<rows 24 x 64>, #task.form<columns 4 x 6>, #task.form<rows 24 x 64>, #task.form<columns 4 x 6>, #task.form<map 1536 x 1>]
func.func @batch_norm(%x: tensor<4x6x8x8xf32>, %s: tensor<6xf32>, %m: tensor<6xf32>) -> (tensor<4x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0:3 = graph.batch_norm %x, %s, %s, %m, %m epsilon = 1.0e-5 momentum = 0.9 : tensor<4x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>
  return %0#0, %0#1, %0#2 : tensor<4x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>
}
