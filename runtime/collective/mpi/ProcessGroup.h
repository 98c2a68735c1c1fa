// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group as shared by its members in one process, and the groups split from it.

#pragma once

#include "runtime/collective/mpi/Control.h"
#include "runtime/collective/mpi/MpiGroup.h"

namespace pcc::runtime::mpi {

/// State shared by all groups of a process's world.
struct Shared {
  std::shared_ptr<Engine> engine;
  Placement placement;
  Reductions reductions = Reductions::Ordered;
  int cores = 0;
  std::shared_ptr<Abort> abort = std::make_shared<Abort>();
  std::shared_ptr<Control> control;
};

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
