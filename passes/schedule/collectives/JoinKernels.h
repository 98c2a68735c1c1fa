// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges several kernels into one. The merged kernel runs in place of the last of them, or of the
// first if they need nothing that the section computes:
//
//   kernels          0 1 2 3 4 5     1 and 3 are joined; 2 reads 1
//   order            0 {1 3} 2 4 5
#pragma once

#include "passes/analysis/kernels/Kernels.h"
#include "passes/solve/streams/StreamProblem.h"

namespace pcc::schedule {

/// Kernels that become one kernel.
struct JoinedKernels {
  llvm::SmallVector<int64_t> kernels; ///< ascending
  bool runsFirst = false;             ///< whether it runs in place of the first kernel
};

/// Renumbers the kernels of a function. No list of `joined` may depend on itself or on another list
/// through kernels between them, and a kernel must not be in two lists. `tasks` provides the
/// dependences.
void joinKernels(mlir::func::FuncOp function, llvm::ArrayRef<analysis::Kernel> kernels,
                 const streams::StreamProblem &tasks, llvm::ArrayRef<JoinedKernels> joined);

} // namespace pcc::schedule
