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
// MPI matches the collectives of a communicator by order, so all processes must start them in one
// order. First and second steps have a communicator each. On both, the order is that of the
// operations, independent of which one is ready first. So no operation in flight can wait for one
// that another process starts later.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_GROUP_H
#define PCC_RUNTIME_COLLECTIVE_MPI_GROUP_H

#include "runtime/collective/mpi/Agreement.h"
#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Operation.h"

#include <deque>
#include <map>
#include <optional>
#include <set>

namespace pcc::runtime::mpi {

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

class Group final : public Activity, public std::enable_shared_from_this<Group> {
public:
  /// `first` and `second` are communicators of the members' processes.
  Group(std::shared_ptr<Engine> engine, Members members, Reductions reductions, PccMpiGroup first,
        PccMpiGroup second);

  const Members &members() const { return ownMembers; }

  /// Joins own member `index` to batch `number`. Called on that member's thread.
  std::shared_ptr<Round> arrive(int index, uint64_t number, std::span<const CollectiveCall> calls);

  /// Returns the channel of messages between members; MPI separates them from collectives.
  Channel messages() const { return {engine->mpi(), first}; }

  bool advance() override;
  bool isIdle() const override { return opening.empty() && inFlight.empty(); }

private:
  enum class State { First, Between, Second, Done };
  struct InFlightOperation {
    std::shared_ptr<Round> round;
    size_t calls = 0; ///< number of calls in it
    std::unique_ptr<Operation> operation;
    State state = State::First;
    PccMpiRequest request = 0;
  };

  bool open();
  std::optional<Status> agree(const Round &round);
  void launch(const std::shared_ptr<Round> &round);
  void launch(const std::shared_ptr<Round> &round, const std::vector<size_t> &places);
  bool finishSteps();
  bool finishStep(InFlightOperation &flight);
  bool startSeconds();
  void end(InFlightOperation &flight, const Status &status);

  const std::shared_ptr<Engine> engine;
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

#endif // PCC_RUNTIME_COLLECTIVE_MPI_GROUP_H
