// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds what the ranks of a process share: the messages between processes that control a run, and
// each group with the groups split from it.

#pragma once

#include "runtime/collective/mpi/Completion.h"
#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/MpiGroup.h"
#include "runtime/collective/mpi/Operation.h"

#include <list>
#include <optional>

namespace pcc::runtime::mpi {

/// Messages between the engines of the processes, separate from the ranks' collectives: abort of a
/// run, and the state of a process's ranks. An engine answers even while its ranks compute or wait,
/// so a process that does not answer is not running.
class Control final : public Activity, public std::enable_shared_from_this<Control> {
public:
  /// `group` is a communicator of all processes that is used for nothing else.
  Control(std::shared_ptr<Engine> engine, PccMpiGroup group, std::shared_ptr<Abort> abort)
      : engine(std::move(engine)), group(group), abortState(std::move(abort)) {}

  /// Polls for messages from now on. If an exception leaves the engine's work, the run is aborted
  /// with a failure that names `owner`, the ranks of this process.
  void open(const std::string &owner);

  /// Aborts the run in all processes: in this one with `reason`, in the others with its message.
  void abort(Status reason);

  /// Sets the function that makes this process's answers. Any thread may call it.
  void answerWith(std::function<std::string()> report);

  /// Asks all other processes and waits for their answers, at most `seconds`.
  std::vector<std::optional<std::string>> ask(double seconds);

  /// Progresses sends, and receives that polling has found.
  bool advance() override;
  bool isIdle() const override { return sending.empty() && receiving.empty(); }

private:
  struct Sent {
    std::string text;
    PccMpiRequest request = 0;
  };
  struct Received {
    int32_t tag = 0;
    int process = 0;
    std::string text;
    PccMpiRequest request = 0;
  };
  bool advanceReceives();
  void sendToOthers(int32_t tag, const std::string &text);
  void send(int32_t tag, int process, const std::string &text);
  bool probe();
  bool take(int32_t tag);
  void received(int32_t tag, int process, std::string text);

  const std::shared_ptr<Engine> engine;
  const PccMpiGroup group;
  const std::shared_ptr<Abort> abortState;

  // Used only by the engine's thread. Lists, since MPI reads and writes the texts in place.
  std::list<Sent> sending;
  std::list<Received> receiving;

  std::mutex mutex;
  std::condition_variable changed;
  std::function<std::string()> report;
  std::vector<std::optional<std::string>> answers;
};

/// State shared by all groups of a process's world.
struct Shared {
  std::shared_ptr<Engine> engine;
  Placement placement;
  Reductions reductions = Reductions::Ordered;
  int cores = 0;
  std::shared_ptr<Abort> abort = std::make_shared<Abort>();
  std::shared_ptr<Control> control;
};

/// A group as shared by its members in one process, and the groups split from it.
class ProcessGroup {
public:
  /// Creates the group of `ranks`, of which at least one is in this process. If they are in several
  /// processes, all of these processes call it together.
  static Expected<std::shared_ptr<ProcessGroup>> make(std::shared_ptr<const Shared> shared,
                                                      std::vector<int> ranks);

  const Members &members() const { return ownMembers; }
  const Shared &world() const { return *shared; }
  /// Returns the group in MPI; null if all members are in this process.
  const std::shared_ptr<MpiGroup> &group() const { return mpiGroup; }
  /// Returns the communicator of an own member, if all members are in this process.
  Communicator &local(int index) { return *localComms[index]; }

  /// Returns the group of `color` in split number `split`, given all members' choices by position.
  /// The first own member to arrive creates the groups of all own members.
  Expected<std::shared_ptr<ProcessGroup>>
  childOf(uint64_t split, const std::vector<SplitChoice> &choices, int32_t color);

private:
  ProcessGroup(std::shared_ptr<const Shared> shared, Members members)
      : shared(std::move(shared)), ownMembers(std::move(members)) {}
  Status makeGroup();
  void makeLocals();
  Status makeChildren(uint64_t split, const std::vector<SplitChoice> &choices);

  const std::shared_ptr<const Shared> shared;
  const Members ownMembers;
  std::shared_ptr<MpiGroup> mpiGroup;
  std::vector<std::shared_ptr<Communicator>> localComms;

  std::mutex mutex;
  using Children = std::map<int32_t, std::shared_ptr<ProcessGroup>>;
  std::map<uint64_t, Children> children;
};

} // namespace pcc::runtime::mpi
