// RUN: pcc-opt %s --autodiff-build-step | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: pcc-opt %s --autodiff-build-step="micro-batches=2 copies=2" | FileCheck %s --check-prefixes=CHECK,SUM
// RUN: pcc-opt %s --autodiff-build-step="micro-batches=2 copies=2 micro-reduction=mean" | FileCheck %s --check-prefixes=CHECK,MEAN
// RUN: not pcc-opt %s --autodiff-build-step=micro-batches=0 2>&1 | FileCheck %s --check-prefix=MICRO
// RUN: not pcc-opt %s --autodiff-build-step=copies=-1 2>&1 | FileCheck %s --check-prefix=COPIES

// Loss and gradients are accumulated, updated parameters are not. With sum, the losses are added
// and the gradient is divided by the number of microbatches. With mean, both are divided by the
// number of microbatches and copies.

// CHECK-LABEL: func.func @forward_backward(
// ONE-SAME: #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.000000e+00>
// ONE-SAME: #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.000000e+00>
// SUM-SAME: #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.000000e+00>
// SUM-SAME: #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 5.000000e-01>
// MEAN-SAME: #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 2.500000e-01>
// MEAN-SAME: #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 2.500000e-01>
// CHECK-SAME: tensor<f32> {graph.role = #graph.role<parameter "mean">})

// The copies of a microbatch follow one another; the update comes last.

// ONE: pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum
// ONE-NEXT: pipe.action @forward_backward microbatch = 0 copy = 0
// ONE-NEXT: pipe.action @update
// SUM: pipe.step @train micro_batches = 2 copies = 2 micro_reduction = sum
// MEAN: pipe.step @train micro_batches = 2 copies = 2 micro_reduction = mean
// SUM-NEXT: pipe.action @forward_backward microbatch = 0 copy = 0
// SUM-NEXT: pipe.action @forward_backward microbatch = 0 copy = 1
// SUM-NEXT: pipe.action @forward_backward microbatch = 1 copy = 0
// SUM-NEXT: pipe.action @forward_backward microbatch = 1 copy = 1
// SUM-NEXT: pipe.action @update

// MICRO: error: expected at least one microbatch, got 0
// COPIES: error: expected at least one copy, got -1
func.func @forward_backward(%x: tensor<f32>)
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<f32> {graph.role = #graph.role<gradient "w">},
        tensor<f32> {graph.role = #graph.role<parameter "mean">}) {
  return %x, %x, %x : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @update() {
  return
}
