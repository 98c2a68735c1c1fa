// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of an episode makes ranks wait for each other: collectives, messages, and the events that
// follow them. All ranks of a program share one schedule; who meets whom is looked up by rank.

#ifndef PCC_RUNTIME_CHECK_SCHEDULE_H
#define PCC_RUNTIME_CHECK_SCHEDULE_H

#include "runtime/check/Matching.h"

namespace pcc::check {

/// Collectives of a group that a rank may have started and not finished, what is fused counting
/// once; starting one more waits for the oldest.
inline constexpr uint32_t mostInFlight = 16;

/// One side of a meeting.
struct Call {
  /// Place in ProgramIndex::records.
  uint32_t record = 0;
  /// Collectives: the group. Messages: none.
  int32_t group = -1;
  /// The how many-th of its group, or of its channel, from 0.
  uint32_t count = 0;
};

/// Collectives and messages that are started together, or a record that waits for them.
struct Item {
  abi::Lane lane = abi::COMPUTE;
  abi::Slot slot = {};
  /// A record that it goes by in messages.
  uint32_t record = 0;
  std::vector<Call> calls = {};
  /// Items before it that must be done before it is started.
  std::vector<uint32_t> waits = {};
};

/// The items of a program, in the order of its slots.
struct Schedule {
  std::vector<Item> items;
  /// How many collectives of each group there are.
  std::vector<uint32_t> collectives;
};

/// The items of an episode. `launchesOnly`: its collectives one by one, as if all were on COMPUTE.
Schedule makeSchedule(const ProgramIndex &index, const std::vector<abi::Slot> &slots,
                      bool launchesOnly);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_SCHEDULE_H
