// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user says about which collectives share a message (option `comm_fusion`):
//
//   auto                                  those that are through first by the prices of the machine
//   off                                   none
//   all                                   all that are alike
//   size:32                               those before them come to more than 32 MB, and the next
//   index:20:35                           all-reduces only: the first 20, the next 15, the rest
//   all_reduce=size:32, all_gather=off    of each kind; the others by `auto`
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace pcc::schedule {

/// The first word of a rule.
enum class FusionMode { Auto, Off, All, Size, Index };

/// The rule of one kind of collectives.
struct FusionRule {
  FusionMode mode = FusionMode::Auto;
  int64_t megabytes = 0;          ///< Size: of 2^20 bytes
  std::vector<int64_t> ends = {}; ///< Index: ascending, positive
};

/// Those of all kinds.
struct CommFusion {
  FusionRule allReduce, allGather, reduceScatter;
};

/// Reads `comm_fusion`, and `all_reduce_fusion_config`, which is another way to give the indices:
/// "[20,35]". Empty texts say nothing.
abi::Expected<CommFusion> parseCommFusion(llvm::StringRef commFusion,
                                          llvm::StringRef allReduceConfig);

} // namespace pcc::schedule
