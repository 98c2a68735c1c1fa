// Losses that are not adapted to parts of the batch, and why.
// RUN: pcc-opt %s --split-input-file "--autodiff-adapt-loss-to-parts=micro-batches=2 copies=3" -verify-diagnostics
// RUN: not pcc-opt %s --split-input-file "--autodiff-adapt-loss-to-parts=copies=3" 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not pcc-opt %s --split-input-file "--autodiff-adapt-loss-to-parts=micro-batches=2 micro-reduction=mean" 2>&1 | FileCheck %s --check-prefix=MEAN
// RUN: not pcc-opt %s --split-input-file --autodiff-adapt-loss-to-parts=micro-batches=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COPIES-NOT: warning: the loss adds
// MEAN-NOT: warning: the loss adds
// COUNT: error: expected at least one microbatch and one copy, got 0 and 1

// Batch norms take the statistics of each part.
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %s: tensor<3xf32> {graph.role = #graph.role<parameter "scale">},
                        %m: tensor<3xf32> {graph.role = #graph.role<parameter "mean">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  // expected-warning @+1 {{batch norms (2, this one is the first) take the statistics of each of 6 parts of the batch, microbatches times copies, and not those of the whole batch, so losses differ from those of a step in one part; '--freeze-batch-norm' trains with the running statistics}}
  %0:3 = graph.batch_norm %x, %s, %s, %m, %m epsilon = 0.125 momentum = 0.75 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %1:3 = graph.batch_norm %0#0, %s, %s, %m, %m epsilon = 0.125 momentum = 0.75 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %2 = graph.mse %1#0, %x : tensor<4x3xf32>
  return %2 : tensor<f32>
}

// -----

// Two means with labels of their own have two divisors.
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">},
                        %others: tensor<4xi64> {graph.role = #graph.role<input "others">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  // expected-warning @+1 {{labels that equal 0 do not count in the loss: each of 6 parts of the batch, microbatches times copies, takes the mean over its own labels, so the gradients are those of the batch only if equally many labels count in all parts}}
  %0 = graph.nll %x, %labels {ignore_index = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  // expected-warning @+1 {{labels that equal 1 do not count in the loss}}
  %1 = graph.nll %x, %others {ignore_index = 1 : i64} : tensor<4x3xf32>, tensor<4xi64>
  %2 = graph.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// So have a mean over labels that count and one over all samples.
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  // expected-warning @+1 {{labels that equal 0 do not count in the loss}}
  %0 = graph.nll %x, %labels {ignore_index = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  %1 = graph.reduce mean %x, [0, 1] : tensor<4x3xf32>
  %2 = graph.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Sums, whose gradients are divided by the number of microbatches. A sum over a parameter is none.
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">},
                        %w: tensor<5xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  // expected-warning @+1 {{the loss adds up samples: the gradients of 6 parts of the batch, microbatches times copies, are added and divided by 2; '--micro-reduction=mean' gives those of the batch}}
  %0 = graph.nll %x, %labels {graph.adds_samples, ignore_index = -100 : i64, reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>, tensor<4xi64>
  %1 = graph.nll %x, %labels : tensor<4x3xf32>, tensor<4xi64>
  // expected-warning @+1 {{the loss adds up samples}}
  %2 = graph.reduce sum %x, [0, 1] {graph.adds_samples} : tensor<4x3xf32>
  %3 = graph.reduce sum %w, [0] : tensor<5xf32>
  %4 = graph.add %0, %1 : tensor<f32>
  %5 = graph.add %4, %2 : tensor<f32>
  %6 = graph.add %5, %3 : tensor<f32>
  return %6 : tensor<f32>
}

// -----

// A mean over labels that count, divided by a sum of weights.
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">},
                        %weights: tensor<4xf32> {graph.role = #graph.role<input "weights">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  // expected-warning @+1 {{labels that equal 0 do not count in the loss}}
  %0 = graph.nll %x, %labels {ignore_index = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  %1 = graph.reduce sum %weights, [0] {graph.adds_samples} : tensor<4xf32>
  // expected-error @+1 {{'graph.div' op cannot work on one of 6 parts, microbatches times copies: the loss is more than one quotient of sums over the batch}}
  %2 = graph.div %0, %1 {graph.divides_sums} : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// The name of the state is taken.
// expected-error @+1 {{'counted_share' is the name of a state of the training: rename this symbol}}
graph.parameter @counted_share : tensor<f32> init(<zeros>)
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.nll %x, %labels {ignore_index = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{expected function 'forward_loss' to have one block, got 0}}
func.func private @forward_loss(tensor<4xf32> {graph.role = #graph.role<input "x">}) -> (tensor<f32> {graph.role = #graph.role<loss>})
