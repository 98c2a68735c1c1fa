// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory the values of a function take, if it runs in program order and each is freed
// behind its last reader:
//
//   %0 = graph.matmul %x, %w      live: %0
//   %1 = graph.broadcast %b       computed where it is read: takes nothing
//   %2 = graph.add %0, %1         live: %0, %2
//   %3 = graph.gelu %2            live: %2, %3      the most, if all are of one size
//   return %3                     live: %3
//
// Values that stay within one kernel take nothing. Arguments and what is returned are not counted:
// who calls the function holds them.
#pragma once

#include "mlir/IR/Value.h"
#include "passes/facts/KernelShares.h"

namespace pcc::facts {

/// The most bytes that are live at one time. `bytesOf` counts one value.
int64_t countLiveBytes(mlir::func::FuncOp function, const KernelShares &shares,
                       llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace pcc::facts
