// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group as its members in one process share it, and the groups that were split from it.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_HOME_H
#define PCC_RUNTIME_COLLECTIVE_MPI_HOME_H

#include "runtime/collective/mpi/Control.h"
#include "runtime/collective/mpi/Group.h"

namespace pcc::runtime::mpi {

/// What all groups of a process's world share.
struct Shared {
  std::shared_ptr<Engine> engine;
  Placement placement;
  Reductions reductions = Reductions::Ordered;
  int cores = 0;
  std::shared_ptr<Abort> abort = std::make_shared<Abort>();
  std::shared_ptr<Control> control;
};

class Home {
public:
  /// Of ranks of the world, at least one of this process. Where they are of several processes, all
  /// of these call it together.
  static Expected<std::shared_ptr<Home>> make(std::shared_ptr<const Shared> shared,
                                              std::vector<int> ranks);

  const Members &members() const { return ownMembers; }
  const Shared &world() const { return *shared; }
  /// The group in MPI; null where all members are of this process.
  const std::shared_ptr<Group> &group() const { return inMpi; }
  /// The communicators of the own members otherwise.
  Communicator &local(int index) { return *locals[index]; }

  /// A member's choice in a split.
  struct Choice {
    int32_t color = 0;
    int32_t key = 0;
  };
  /// The group of `color` in split number `split`, given all members' choices by position. The
  /// first own member to come makes the groups of all own members.
  Expected<std::shared_ptr<Home>> childOf(uint64_t split, const std::vector<Choice> &choices,
                                          int32_t color);

private:
  Home(std::shared_ptr<const Shared> shared, Members members)
      : shared(std::move(shared)), ownMembers(std::move(members)) {}
  Status makeGroup();
  void makeLocals();
  Status makeChildren(uint64_t split, const std::vector<Choice> &choices);

  const std::shared_ptr<const Shared> shared;
  const Members ownMembers;
  std::shared_ptr<Group> inMpi;
  std::vector<std::shared_ptr<Communicator>> locals;

  std::mutex mutex;
  using Children = std::map<int32_t, std::shared_ptr<Home>>;
  std::map<uint64_t, Children> children;
};

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_HOME_H
