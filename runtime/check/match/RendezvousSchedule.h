// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of an execution that makes ranks wait for each other: collectives, messages, and the
// events that follow them. A rendezvous is one run of a collective in a group, or of a message: the
// point where its ranks meet. All ranks of a program share one schedule; their partners are looked
// up by rank.

#pragma once

#include "runtime/check/match/Matching.h"

namespace pcc::check {

/// Maximum number of collectives of a group that a rank may have in flight; a fused collective
/// counts once. Starting one more waits for the oldest.
inline constexpr uint32_t maxInFlight = 16;

/// One rank's side of a rendezvous.
struct Call {
  /// Position in ProgramIndex::instructions.
  uint32_t instruction = 0;
  /// Group of a collective; -1 for messages.
  int32_t group = -1;
  /// Sequence number in its group or channel, from 0.
  uint32_t count = 0;
};

/// Collectives and messages that start together, or an instruction that waits for them.
struct Item {
  abi::StreamKind stream = abi::COMPUTE;
  abi::Action action = {};
  /// Instruction that names the item in diagnostics.
  uint32_t instruction = 0;
  std::vector<Call> calls = {};
  /// Earlier items that must be done before it starts.
  std::vector<uint32_t> waits = {};
};

/// The items of a program, in the order of its actions.
struct RendezvousSchedule {
  std::vector<Item> items;
  /// Number of collectives by group.
  std::vector<uint32_t> collectives;
};

/// Returns the items of an execution. `launchesOnly`: its collectives run one by one, as if all
/// were on COMPUTE.
RendezvousSchedule makeRendezvousSchedule(const ProgramIndex &index,
                                          const std::vector<abi::Action> &actions,
                                          bool launchesOnly);

} // namespace pcc::check
