// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds collectives that other pipeline stages wait for: a send depends on them directly or
// indirectly.
//
//   0  all_reduce of a      needed
//   1  matmul of 0
//   2  all_reduce of "w"    not needed
//   3  send of 1
#pragma once

#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/SmallBitVector.h"

namespace pcc::schedule {

/// Returns a bit for each kernel, set for such collectives. `kernels` belong to one section, in an
/// executable order; null entries are ignored.
llvm::SmallBitVector findSendDependencies(llvm::ArrayRef<const analysis::Kernel *> kernels);

} // namespace pcc::schedule
