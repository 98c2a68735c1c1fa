// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves freedom from deadlock by one run. A rank advances through its list. An instruction begins
// when its waits are done. A collective is done when all members have begun it, a send when its
// receive has begun. Nothing is buffered. Collectives of COMMUNICATION run one by one beside
// COMPUTE; messages of TRANSFER begin at once.
//
// One run proves all runs. The partners of each rendezvous are fixed (groups, peers, tags). So an
// enabled event stays enabled whatever else happens first, and all orders end in the same state
// (Newman, 1942, "On theories with a combinatorial definition of equivalence"). A device that
// blocks less only advances further.

#pragma once

#include "runtime/check/match/RendezvousSchedule.h"

namespace pcc::check {

/// A rank's position in its schedule.
struct RankState {
  int program = 0;
  /// Index of the rank among the ranks of its program.
  uint32_t indexInProgram = 0;
  /// The current item of the list, and whether it has begun.
  uint32_t next = 0;
  bool begun = false;
  /// Number of completed items on COMMUNICATION, and whether the next one has begun.
  uint32_t stream = 0;
  bool streamBegun = false;
  bool isListed = false;
};

/// Progress of ranks and rendezvous.
class RendezvousState {
public:
  RendezvousState(const std::vector<ProgramIndex> &programs, const Messages &messages,
                  const std::vector<RendezvousSchedule> &schedules);

  /// Advances all ranks until none can move. Returns true if every rank reached its end.
  bool run();

  int64_t ranks() const { return int64_t(states.size()); }
  const RankState &state(int64_t rank) const { return states[rank]; }
  const RendezvousSchedule &scheduleOf(int64_t rank) const {
    return schedules[states[rank].program];
  }
  /// Returns the items of the rank's stream COMMUNICATION, in order.
  const std::vector<uint32_t> &streamOf(int64_t rank) const {
    return streamItems[states[rank].program];
  }

  bool isAtEnd(int64_t rank) const;
  bool isDone(int64_t rank, const Call &call) const;
  bool isDone(int64_t rank, uint32_t item) const;
  /// Returns the channel of a message; -1 if the rank has no peer.
  int32_t channelOf(int64_t rank, const Call &call) const {
    return messages.channelOf[states[rank].program][call.instruction][states[rank].indexInProgram];
  }
  /// Returns the ranks that take part in a collective.
  const abi::RankList &membersOf(int64_t rank, const Call &call) const;

private:
  struct Sides {
    uint32_t sends = 0, receives = 0;
  };
  void begin(int64_t rank, const Item &item);
  void arrive(int64_t rank, const Call &call);
  void wake(int64_t rank);
  void advance(int64_t rank);
  bool advanceList(int64_t rank);
  bool advanceStream(int64_t rank);
  size_t rendezvousOf(int64_t rank, const Call &call) const;

  const std::vector<ProgramIndex> &programs;
  const Messages &messages;
  const std::vector<RendezvousSchedule> &schedules;
  const abi::Executable &executable;
  /// By program: the items of COMMUNICATION, and by item its position among them.
  std::vector<std::vector<uint32_t>> streamItems, streamPosition;
  /// By group: the list of each rank, the number of collectives of a list, and by list and
  /// collective the number of ranks that have arrived.
  std::vector<std::vector<uint32_t>> listOf;
  std::vector<uint32_t> collectives;
  std::vector<std::vector<uint16_t>> arrived;
  /// By channel.
  std::vector<Sides> sides;
  std::vector<RankState> states;
  std::vector<int64_t> work;
};

/// Runs an execution by the schedules of its programs; messages and collectives must match. An
/// error shows the ranks that wait for each other and begins with `what`, e.g. "deadlock".
abi::Status runToCompletion(const std::vector<ProgramIndex> &programs, const Messages &messages,
                            const std::vector<RendezvousSchedule> &schedules, const char *what);

} // namespace pcc::check
