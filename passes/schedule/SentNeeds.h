// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other pipeline stages wait for besides what computes: collectives that something sent needs,
// through whatever lies between.
//
//   0  all_reduce of a      needed
//   1  matmul of 0
//   2  all_reduce of "w"    not needed
//   3  send of 1
#pragma once

#include "passes/facts/Kernels.h"
#include "llvm/ADT/SmallBitVector.h"

namespace pcc::schedule {

/// Which of the kernels are such collectives. They are those of one section, in an order in which
/// they could run; null stands for something else.
llvm::SmallBitVector findNeededToSend(llvm::ArrayRef<const facts::Kernel *> kernels);

} // namespace pcc::schedule
