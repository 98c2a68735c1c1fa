// Where the mean of the parts' losses is not the loss of the batch: a mean over the labels that count, and sums.
// RUN: pcc-opt %s --autodiff-build-step="micro-batches=2 copies=3" --split-input-file 2>&1 | FileCheck %s
// RUN: pcc-opt %s --autodiff-build-step --split-input-file 2>&1 | FileCheck %s --check-prefix=ONE

// RUN: pcc-opt %s --autodiff-build-step="copies=3" --split-input-file 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: pcc-opt %s --autodiff-build-step="copies=3 micro-reduction=mean" --split-input-file 2>&1 | FileCheck %s --check-prefix=MEAN

// CHECK: warning: labels that equal -100 do not count in the loss: each of 6 parts of the batch, microbatches times copies, takes the mean over its own labels
// CHECK-NOT: warning
// CHECK: warning: the loss adds up samples: the gradients of 6 parts of the batch, microbatches times copies, are added and multiplied by 5.000000e-01, so
// CHECK: warning: the loss adds up samples
// CHECK-NOT: warning
// ONE-NOT: warning
// COPIES: warning: labels that equal -100
// COPIES-NOT: warning
// MEAN: warning: labels that equal -100
// MEAN: warning: the loss adds up samples: the gradients of 3 parts of the batch, microbatches times copies, are added and multiplied by 3.333333e-01
func.func @forward_backward(%x: tensor<4x3xf32>, %labels: tensor<4xi64>) -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.softmax_cross_entropy %x, %labels {ignore_index = -100 : i64} : tensor<4x3xf32>, tensor<4xi64>
  return %0 : tensor<f32>
}
func.func @update() { return }

// -----

// A sum over samples, marked where the batch is split; a mean over all labels is no reason.
func.func @forward_backward(%x: tensor<4x3xf32>, %labels: tensor<4xi64>) -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.nll %x, %labels {ignore_index = -100 : i64, reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>, tensor<4xi64>
  %1 = graph.nll %x, %labels : tensor<4x3xf32>, tensor<4xi64>
  %2 = graph.reduce sum %x, [0, 1] {graph.adds_samples} : tensor<4x3xf32>
  %3 = graph.add %0, %1 : tensor<f32>
  %4 = graph.add %3, %2 : tensor<f32>
  return %4 : tensor<f32>
}
func.func @update() { return }
