// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traffic of one collective of a program, read from its instruction. n ranks in a group, operands
// of S bytes:
//
//   kind                              received by the busiest rank
//   all_reduce                        2(n-1)/n S, as by a reduce-scatter and an all-gather
//   reduce_scatter, all_to_all        (n-1)/n S
//   all_gather                        (n-1) S
//   broadcast, reduce, recv           S
//   collective_permute                S
//   block_exchange                    the boxes that come from other ranks
//   send, barrier                     nothing

#pragma once

#include "runtime/machine/CollectiveCost.h"

#include <span>
#include <vector>

namespace pcc::machine {

struct CollectiveTraffic {
  /// The groups of the collective, each in rank order; for a send or receive, the pairs of ranks.
  std::vector<std::vector<int64_t>> groups;
  /// Traffic of the largest group.
  Traffic traffic;
  /// Bytes that the busiest rank receives.
  int64_t received = 0;
};

/// Returns the traffic of a valid collective in a group of `members` ranks.
Traffic trafficOf(const abi::Collective &collective, int64_t members);

/// Returns the traffic of the fused collective that begins with the first of `instructions`.
/// `instructions` are consecutive instructions of a section; the ones fused with the first are
/// added.
Traffic trafficOfFused(std::span<const abi::Instruction *const> instructions, int64_t members);

/// Returns groups, traffic and received bytes of a valid collective of `program`.
CollectiveTraffic readTraffic(const abi::Executable &program, const abi::Collective &collective);

/// Returns the seconds until the slowest group is done. `cluster` must be complete and have a
/// device for each rank.
double estimateTrafficCost(const abi::Cluster &cluster, const CollectiveTraffic &traffic);

} // namespace pcc::machine
