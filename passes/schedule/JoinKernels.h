// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several kernels become one, which runs where the last of them did (or the first, if they need
// nothing that the section computes):
//
//   kernels          0 1 2 3 4 5     1 and 3 are joined; 2 reads 1
//   order            0 {1 3} 2 4 5
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/solve/lanes/LaneProblem.h"

namespace pcc::schedule {

/// Kernels that become one.
struct JoinedKernels {
  llvm::SmallVector<int64_t> kernels; ///< ascending
  bool runsFirst = false;             ///< where the first of them did
};

/// Numbers the kernels of a function anew. No list of `joined` may need another through what lies
/// between, nor itself; none of them has a kernel of another. `tasks` say what each comes after.
void joinKernels(mlir::func::FuncOp function, llvm::ArrayRef<facts::Kernel> kernels,
                 const lanes::LaneProblem &tasks, llvm::ArrayRef<JoinedKernels> joined);

} // namespace pcc::schedule
