// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the collectives of a section that could be fused: collectives of gradients and parameters,
// and collectives that a user has numbered (`dist.fusion`). Two collectives are compatible if they
// have the same kind, group, type and reduction, and the same depth. The depth is the largest
// number of collectives on a path to it. So no member of a fused collective can depend on another
// member.
//
//   @update   0  all_reduce of the gradient "a"    group 1, depth 0
//             1  all_reduce of the gradient "b"    group 1, depth 0
//             2  sgd of both
//             3  all_gather of the new "a"         group 2, depth 1
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/solve/streams/StreamProblem.h"

namespace pcc::schedule {

/// Purpose of a collective of a parameter or its gradient.
enum class FusionUse {
  Result, ///< sends results: a reduction of gradients, a gather of new parameters
  Source, ///< fetches parameters before they are read
};

/// Collective that could be fused with others.
struct FusionMember {
  int64_t kernel = 0;
  mlir::Operation *op = nullptr;
  std::string parameter; ///< whose value or gradient it is; empty if unknown
};

/// Collectives that could be fused with each other.
struct FusionGroup {
  FusionUse use = FusionUse::Result;
  std::optional<int64_t> number;           ///< given by the user; then the whole group is fused
  llvm::SmallVector<FusionMember> members; ///< by kernel
};

/// Returns the groups of a section. `tasks` are its kernels as tasks, by kernel number.
llvm::SmallVector<FusionGroup> findFusionGroups(analysis::Section &section,
                                                llvm::ArrayRef<analysis::Kernel> kernels,
                                                const streams::StreamProblem &tasks);

} // namespace pcc::schedule
