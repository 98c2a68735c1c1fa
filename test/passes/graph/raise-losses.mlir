// RUN: pcc-opt %s --graph-raise-losses --cse | FileCheck %s
// RUN: pcc-opt %s --graph-raise-losses --cse -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!t = tensor<4x6xf32>
!l = tensor<4xi64>

// CHECK-LABEL: func.func @log_softmax
// CHECK-NEXT: graph.log_softmax %arg0 axis = 0
func.func @log_softmax(%x: !t) -> !t {
  %0 = graph.softmax %x axis = 0 : !t
  %1 = graph.log %0 : !t
  return %1 : !t
}

// CHECK-LABEL: func.func @nll
// CHECK-NEXT: graph.softmax_cross_entropy %arg0, %arg1 {ignore_index = 2 : i64, reduction = #graph.loss_reduction<sum>}
func.func @nll(%x: !t, %l: !l) -> tensor<f32> {
  %0 = graph.log_softmax %x axis = 1 : !t
  %1 = graph.nll %0, %l {reduction = #graph.loss_reduction<sum>, ignore_index = 2 : i64} : !t, !l
  return %1 : tensor<f32>
}

// The mean over samples of a weighted sum, negated at the end.
// CHECK-LABEL: func.func @dense_mean
// CHECK-NEXT: graph.softmax_cross_entropy %arg0, %arg1 : tensor<4x6xf32>, tensor<4x6xf32>
func.func @dense_mean(%x: !t, %w: !t) -> tensor<f32> {
  %0 = graph.log_softmax %x axis = 1 : !t
  %1 = graph.mul %w, %0 : !t
  %2 = graph.reduce sum %1, [1] : !t
  %3 = graph.reduce mean %2, [0] : tensor<4xf32>
  %4 = graph.neg %3 : tensor<f32>
  return %4 : tensor<f32>
}

// One-hot weights are class numbers; the negation stands inside, the sum is divided by hand.
// CHECK-LABEL: func.func @one_hot
// CHECK: graph.softmax_cross_entropy %arg0, %arg1 : tensor<4x6xf32>, tensor<4xi64>
// CHECK-NEXT: return
func.func @one_hot(%x: !t, %l: !l) -> tensor<f32> {
  %n = graph.constant dense<4.0> : tensor<f32>
  %w = graph.one_hot %l axis = 1 : !l to !t
  %0 = graph.softmax %x axis = 1 : !t
  %1 = graph.log %0 : !t
  %2 = graph.mul %1, %w : !t
  %3 = graph.neg %2 : !t
  %4 = graph.reduce sum %3, [0, 1] : !t
  %5 = graph.div %4, %n : tensor<f32>
  return %5 : tensor<f32>
}

// A mean over all elements is not a mean over samples.
// CHECK-LABEL: func.func @no_loss
// CHECK-NOT: graph.softmax_cross_entropy
// CHECK: return
func.func @no_loss(%x: !t, %w: !t) -> tensor<f32> {
  %0 = graph.log_softmax %x axis = 1 : !t
  %1 = graph.mul %w, %0 : !t
  %2 = graph.reduce mean %1, [0, 1] : !t
  %3 = graph.neg %2 : tensor<f32>
  return %3 : tensor<f32>
}
