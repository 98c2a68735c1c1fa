// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one collective of a program moves, read from its record. n ranks in a group, operands of S
// bytes:
//
//   kind                              received by the busiest rank
//   all_reduce                        2(n-1)/n S, as by a reduce-scatter and an all-gather
//   reduce_scatter, all_to_all        (n-1)/n S
//   all_gather                        (n-1) S
//   broadcast, reduce, permute, recv  S
//   block_exchange                    the boxes that come from other ranks
//   send, barrier                     nothing

#ifndef PCC_RUNTIME_MACHINE_RECORDTRAFFIC_H
#define PCC_RUNTIME_MACHINE_RECORDTRAFFIC_H

#include "runtime/machine/CollectivePrice.h"

#include <span>
#include <vector>

namespace pcc::machine {

struct RecordTraffic {
  /// The ranks that work together, in their order; of a send or receive the pairs of ranks.
  std::vector<std::vector<int64_t>> groups;
  /// Of one of the groups; they are alike.
  Traffic traffic;
  /// Bytes that the busiest rank receives.
  int64_t received = 0;
};

/// What a group of `members` ranks moves by a valid record.
Traffic trafficOf(const abi::Collective &collective, int64_t members);

/// The same of the message that begins with the first of these records of a section: of it and
/// those that are fused with it.
Traffic trafficOfMessage(std::span<const abi::Record *const> records, int64_t members);

/// Reads a valid record of `program`.
RecordTraffic readTraffic(const abi::Executable &program, const abi::Collective &collective);

/// Seconds until the slowest group is done on `cluster`, which is complete and has a device for
/// each rank.
double priceTraffic(const abi::Cluster &cluster, const RecordTraffic &traffic);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_RECORDTRAFFIC_H
