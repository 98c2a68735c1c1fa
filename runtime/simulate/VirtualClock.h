// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs every node through its list. Each instruction runs as soon as the rules of streams allow:
//
//   COMPUTE         in list order; an instruction begins when the one before it and its waits are
//                   done; communication occupies the stream until it is done
//   COMMUNICATION   in list order; each begins no sooner than its waits are done and its action
//                   begins, which is when the COMPUTE instructions of earlier actions are done
//   TRANSFER        each begins when its waits are done, possibly at the beginning of the step, and
//                   no sooner than its previous run begins
//
// A wait means the last run, in list order, of the signaling instruction, or its run for another
// microbatch (Instruction.behind). All times follow from other times by sums and maxima. So the
// order in which nodes advance does not matter, and nothing needs to be sorted by time. Different
// rendezvous do not take bandwidth from each other, beyond the assumptions of their costs
// (CollectiveCost.h).

#pragma once

#include "runtime/simulate/FlatProgram.h"
#include "runtime/simulate/RankClasses.h"
#include "runtime/simulate/Timeline.h"

#include <cstdint>
#include <map>
#include <vector>

namespace pcc::simulate {

inline constexpr uint32_t noTransfer = ~0u;

/// A run of a collective or message.
struct Transfer {
  uint32_t node = 0, instruction = 0, action = 0;
  size_t run = 0;
  /// Rendezvous id, sequence number in it, duration, and minimum distance to the next begin.
  uint32_t rendezvous = 0, count = 0;
  double seconds = 0, gap = 0;
  /// Position on the stream COMMUNICATION, from 1; 0 on other streams.
  uint32_t position = 0;
  /// The transfer whose end determined the arrival; none if COMPUTE, or nothing, determined it.
  uint32_t cause = noTransfer;
  /// Arrival time as far as known, begin and end of the movement.
  double arrival = 0, begin = 0, end = 0;
  bool isDone = false;

  /// Number of open dependencies. Linked lists of the transfers that wait for this one and of those
  /// at the same rendezvous. The next run, which arrives no sooner than this one.
  uint32_t open = 1;
  uint32_t firstFollower = noTransfer, nextAtRendezvous = noTransfer, next = noTransfer;
  bool hasArrived = false;
};

/// Transfers in progress: runs of collectives and messages. A transfer arrives at its rendezvous
/// when all transfers that it follows are done. The rendezvous begins when its last member has
/// arrived, and is done for all members when the bytes have moved. Messages of one channel arrive
/// and move in order. Each may follow the one before it after the time that its bytes take, without
/// the latency (LogGP, as in CollectiveCost.h).
class Transfers {
public:
  explicit Transfers(const RendezvousNetwork &network)
      : network(network), allRendezvous(network.members.size()) {}

  const Transfer &operator[](uint32_t transfer) const { return transfers[transfer]; }
  uint32_t size() const { return uint32_t(transfers.size()); }

  uint32_t add(const Transfer &transfer) {
    transfers.push_back(transfer);
    return size() - 1;
  }
  void setPosition(uint32_t transfer, uint32_t position) {
    transfers[transfer].position = position;
  }
  /// Delays the arrival to `time`, when `cause` is done. follow: to the end of `other`.
  void arriveAfter(uint32_t transfer, double time, uint32_t cause = noTransfer);
  void follow(uint32_t transfer, uint32_t other);
  /// Delays the arrival to the arrival of `other`, the previous run. No other transfer may use the
  /// same `other`.
  void arriveAfterArrivalOf(uint32_t transfer, uint32_t other);
  /// Launches a transfer whose dependencies are all stated. Adds the transfers that are done as a
  /// result to `done`.
  void launch(uint32_t transfer, std::vector<uint32_t> &done);

private:
  struct Rendezvous {
    uint32_t arrived = 0;
    uint32_t first = noTransfer;
    double begin = 0;
  };
  struct Follower {
    uint32_t transfer, next;
  };
  void release(uint32_t transfer);
  void arrive(uint32_t transfer, std::vector<uint32_t> &done);
  void finish(uint32_t transfer, double begin, std::vector<uint32_t> &done);

  const RendezvousNetwork &network;
  std::vector<Transfer> transfers;
  std::vector<Follower> followers;
  /// By rendezvous and sequence number.
  std::vector<std::vector<Rendezvous>> allRendezvous;
  std::vector<uint32_t> ready;
};

class VirtualClock {
public:
  /// `flatPrograms`: by program. `collectiveShare`: see DeviceFigures.
  VirtualClock(const std::vector<FlatProgram> &flatPrograms, const RendezvousNetwork &network,
               double collectiveShare);

  /// Runs all nodes to the end of their lists. Returns false if some nodes wait for each other.
  bool run();

  /// Returns the timelines of completed nodes, without memory.
  std::vector<Timeline> takeTimelines();

  /// A node that did not complete, or -1, with its current action and instruction.
  struct Stop {
    int node = -1;
    size_t action = 0;
    uint32_t instruction = 0;
  };
  Stop findStop() const;

private:
  /// The time when an event is signaled, or the transfer that signals it.
  struct Signal {
    double time = 0;
    uint32_t transfer = noTransfer;
  };
  /// The last wait of an instruction to be satisfied, and the last position on COMMUNICATION among
  /// its waits.
  struct Awaited {
    double time = 0;
    uint32_t transfer = noTransfer;
    uint32_t position = 0;
  };
  struct State {
    /// The current position in the list.
    size_t action = 0, run = 0;
    uint32_t instruction = 0;
    /// The last run on COMPUTE without communication.
    size_t lastComputed = 0;
    /// Pending transfers on COMPUTE; none if the current one has not begun.
    uint32_t firstTransfer = noTransfer, endTransfer = noTransfer;
    /// The transfer for which the list waits.
    uint32_t waitsFor = noTransfer;
    bool isListed = false;

    double clock = 0, actionBegin = 0;
    /// By event: its last run; and, if some instruction waits for it by number, its run by number.
    /// By section: whether it has run.
    std::vector<Signal> signals = {};
    std::vector<std::map<uint64_t, Signal>> numbered = {};
    std::vector<bool> hasRun = {};
    /// By message: its latest run on TRANSFER. By counter: the number of rendezvous.
    std::vector<uint32_t> latest = {}, counts = {};
    /// Transfers of COMMUNICATION, and how many of them COMPUTE knows to be done.
    std::vector<uint32_t> stream = {};
    uint32_t known = 0;
    /// The transfer that ended last, and its end.
    uint32_t lastTransfer = noTransfer;
    double lastEnd = 0;
    /// Spans in which COMPUTE computes, ascending; spans in which transfers move data.
    std::vector<Span> busy = {}, moves = {};
    Timeline timeline;
  };

  const FlatProgram &flatProgramOf(uint32_t node) const {
    return flatPrograms[network.nodes[node].program];
  }
  bool isAtEnd(uint32_t node) const {
    return states[node].action == flatProgramOf(node).actions.size();
  }
  void advance(uint32_t node);
  bool runInstruction(uint32_t node);
  bool compute(uint32_t node);
  bool runRendezvous(uint32_t node);
  void beginRendezvous(uint32_t node, uint32_t instructions);
  void endRendezvous(uint32_t node, uint32_t instructions);
  void launchBeside(uint32_t node);
  uint32_t addTransfer(uint32_t node, uint32_t ahead);
  Signal signalOf(uint32_t node, const Wait &wait) const;
  void signal(uint32_t node, const FlatInstruction &entry, const Signal &signal);
  bool await(uint32_t node, const FlatInstruction &entry, Awaited &awaited);
  void waitUntil(uint32_t node, const Awaited &awaited);
  void spendWaiting(State &state, uint32_t transfer) const;
  static void spendWaiting(State &state, double time, abi::CollectiveKind kind);
  void slowDown(State &state, uint32_t position);
  void stepOver(uint32_t node, uint32_t instructions);
  void settle();
  void wake(uint32_t node);
  void close(State &state, double end);
  abi::CollectiveKind kindOf(uint32_t transfer) const {
    return flatProgramOf(transfers[transfer].node)
        .instructions[transfers[transfer].instruction]
        .kind;
  }

  const std::vector<FlatProgram> &flatPrograms;
  const RendezvousNetwork &network;
  const double collectiveShare;
  Transfers transfers;
  std::vector<State> states;
  std::vector<uint32_t> work, done;
};

} // namespace pcc::simulate
