// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives of a section that could share messages: those of gradients and parameters, and
// those that a user has numbered (`dist.fusion`). Two can if they are of one kind, over one group,
// on one type, by one reduction, and equally many collectives come before them; so none of a
// message can need another of it, through whatever lies between.
//
//   @update   0  all_reduce of the gradient "a"    group 1, depth 0
//             1  all_reduce of the gradient "b"    group 1, depth 0
//             2  sgd of both
//             3  all_gather of the new "a"         group 2, depth 1
#pragma once

#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "passes/solve/lanes/LaneProblem.h"

namespace pcc::schedule {

/// What a collective of a parameter or its gradient is for.
enum class FusionUse {
  Result, ///< what is computed goes out: a reduction of gradients, a gather of new parameters
  Source, ///< parameters come in before they are read
};

/// A collective that could share its message.
struct FusionMember {
  int64_t kernel = 0;
  mlir::Operation *op = nullptr;
  std::string parameter; ///< the one whose value or gradient it is; empty where that is not known
};

/// Those that could share one with each other.
struct FusionGroup {
  FusionUse use = FusionUse::Result;
  std::optional<int64_t> number;           ///< given by the user; then all of it is one message
  llvm::SmallVector<FusionMember> members; ///< by kernel
};

/// The groups of a section. `tasks` are those of its kernels, by their numbers.
llvm::SmallVector<FusionGroup> findFusionGroups(facts::Section &section,
                                                llvm::ArrayRef<facts::Kernel> kernels,
                                                const lanes::LaneProblem &tasks);

} // namespace pcc::schedule
