// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of ranks on several processes. It progresses its members' batches through MPI.
//
//   arrive    each own member leaves its calls; the last one passes the batch to the engine
//   agree     processes compare the batch before starting it, once for each new kind of batch
//   first     MPI's first collective of each operation, in the order of batches and calls
//   second    the second collective of operations that have two, in the same order
//   done      the members' waits end
//
// After an abort nothing is started or finished any more. What is in flight stays, with its memory,
// until MPI is done with it.
//
// MPI matches the collectives of a communicator by order, so all processes must start them in one
// order. First and second steps have a communicator each. On both, the order is that of the
// operations, independent of which one is ready first. So no operation in flight can wait for one
// that another process starts later.

#pragma once

#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Members.h"
#include "runtime/collective/mpi/Operation.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pcc::runtime::mpi {

/// Checks whether the members of a group started the same collectives. With different ones MPI
/// itself would hang or write out of bounds. The processes compare hashes of one batch. If the
/// hashes differ, or the batches of one process's members do, they compare full descriptions.
class Agreement {
public:
  /// `calls`: the batch of each own member.
  Agreement(const Members &members, Channel channel,
            std::span<const std::span<const CollectiveCall>> calls);

  /// Returns a hash of the own members' batches: equal for equal batches, and different for
  /// different ones except with probability 2^-64.
  uint64_t hash() const { return ownHash; }

  /// Starts the comparison.
  void begin();
  /// Returns nothing while the comparison is running, then success, or the first difference with
  /// the ranks of two members.
  std::optional<Status> poll();

private:
  void compareWhole();
  Status judge() const;

  const Members &members;
  const Channel channel;
  /// `own`: descriptions by own members, only one if all are equal. `all`: descriptions by all
  /// processes.
  std::string own, all;
  uint64_t ownHash = 0;
  /// Summary of a process's description. Equal descriptions have equal hashes, different
  /// ones except with probability 2^-64.
  struct Head {
    uint64_t hash = 0, bytes = 0;
    uint64_t membersDiffer = 0; ///< 1 if the batches of its members differ
  };
  /// By process.
  std::vector<Head> heads;
  std::vector<int32_t> counts, offsets;
  int code = 0;
  PccMpiRequest request = 0;
  bool isWhole = false;
};

/// A batch of collectives of all own members.
struct Round {
  /// By own member.
  std::vector<std::span<const CollectiveCall>> calls;
  size_t arrived = 0;
  /// Number of unfinished calls, and the first failure.
  size_t unfinished = 0;
  Status outcome;
  Completion completion;
};

class MpiGroup final : public Activity, public std::enable_shared_from_this<MpiGroup> {
public:
  /// `first` and `second` are communicators of the members' processes.
  MpiGroup(std::shared_ptr<Engine> engine, std::shared_ptr<const Abort> abort, Members members,
           Reductions reductions, PccMpiGroup first, PccMpiGroup second);

  const Members &members() const { return ownMembers; }

  /// Joins own member `index` to batch `number`. Called on that member's thread.
  std::shared_ptr<Round> arrive(int index, uint64_t number, std::span<const CollectiveCall> calls);

  /// Returns the channel of messages between members; MPI separates them from collectives.
  Channel messages() const { return {engine->mpi(), first}; }

  bool advance() override;
  bool isIdle() const override { return opening.empty() && inFlight.empty() && !agreement; }

private:
  enum class State { First, Between, Second, Done };
  struct InFlightOperation {
    std::shared_ptr<Round> round;
    size_t calls = 0; ///< number of calls in it
    std::unique_ptr<Operation> operation;
    State state = State::First;
    PccMpiRequest request = 0;
  };

  bool drain();
  bool open();
  std::optional<Status> agree(const Round &round);
  void launch(const std::shared_ptr<Round> &round);
  void launch(const std::shared_ptr<Round> &round, const std::vector<size_t> &indices);
  bool finishSteps();
  bool finishStep(InFlightOperation &work);
  bool startSeconds();
  void end(InFlightOperation &work, const Status &status);

  const std::shared_ptr<Engine> engine;
  const std::shared_ptr<const Abort> abort;
  const Members ownMembers;
  const Reductions reductions;
  const PccMpiGroup first, second;

  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<Round>> arriving;

  // The following members are used only by the engine's thread.
  std::deque<std::shared_ptr<Round>> opening;
  std::optional<Agreement> agreement; ///< on the first batch of `opening`
  std::set<uint64_t> agreed;
  StagingPool pool;
  std::deque<InFlightOperation> inFlight;
};

} // namespace pcc::runtime::mpi
