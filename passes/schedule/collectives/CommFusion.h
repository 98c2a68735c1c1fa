// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the user's rules for fusing collectives (option `comm_fusion`):
//
//   auto                                  minimize the completion time by the machine's cost model
//   off                                   fuse nothing
//   all                                   fuse all compatible collectives
//   size:32                               close a fused collective once it exceeds 32 MB
//   index:20:35                           all-reduces only: the first 20, the next 15, the rest
//   all_reduce=size:32, all_gather=off    one rule per kind; `auto` for kinds without a rule
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace pcc::schedule {

/// Mode of a fusion rule.
enum class FusionMode { Auto, Off, All, Size, Index };

/// Fusion rule of one kind of collective.
struct FusionRule {
  FusionMode mode = FusionMode::Auto;
  int64_t megabytes = 0;          ///< Size: in units of 2^20 bytes
  std::vector<int64_t> ends = {}; ///< Index: ascending, positive
};

/// Fusion rules of all kinds.
struct CommFusion {
  FusionRule allReduce, allGather, reduceScatter;
};

/// Parses `comm_fusion`, and `all_reduce_fusion_config`, which gives the indices in another form:
/// "[20,35]". Empty texts set no rule.
abi::Expected<CommFusion> parseCommFusion(llvm::StringRef commFusion,
                                          llvm::StringRef allReduceConfig);

} // namespace pcc::schedule
