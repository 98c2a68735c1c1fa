// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the memory of a function's values, if it runs in program order and frees each value after
// its last reader:
//
//   %0 = graph.matmul %x, %w      live: %0
//   %1 = graph.broadcast %b       computed where it is read: takes nothing
//   %2 = graph.add %0, %1         live: %0, %2
//   %3 = graph.gelu %2            live: %2, %3      the peak, if all have one size
//   return %3                     live: %3
//
// Values that stay within one kernel take nothing. Arguments and returned values are not counted:
// the caller of the function holds them.
#pragma once

#include "mlir/IR/Value.h"
#include "passes/analysis/cost/KernelShares.h"

namespace pcc::analysis {

/// Returns the peak of the live bytes. `bytesOf` counts one value.
int64_t countLiveBytes(mlir::func::FuncOp function, const KernelShares &shares,
                       llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace pcc::analysis
