// RUN: pcc-opt %s --split-input-file --verify-diagnostics --strategy-data-parallel=device-num=6
// RUN: not pcc-opt %s --strategy-data-parallel=device-num=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pcc-opt %s --strategy-data-parallel=device-num=4097 2>&1 | FileCheck %s --check-prefix=MANY

// The error names the batch and the ranks, and suggests valid numbers.

// NONE: error: expected 1 to 4096 ranks, got 0
// MANY: error: expected 1 to 4096 ranks, got 4097
// expected-error @below {{batch of 32 is not divisible by 6 ranks; counts that divide: 1, 2, 4, 8, 16, 32}}
func.func @forward(%x: tensor<32x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<32x4xf32> {
  return %x : tensor<32x4xf32>
}
