// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group within one process uses the local transport; any other has two MPI communicators, one for
// each step. Creating a communicator is collective. So the first own member that splits creates the
// child groups of all own members.

#include "runtime/collective/mpi/ProcessGroup.h"

#include "runtime/collective/local/LocalCommunicator.h"

#include <set>

namespace pcc::runtime::mpi {

Expected<std::shared_ptr<ProcessGroup>> ProcessGroup::make(std::shared_ptr<const Shared> shared,
                                                           std::vector<int> ranks) {
  Members members(std::move(ranks), shared->placement, shared->engine->process());
  std::shared_ptr<ProcessGroup> created(new ProcessGroup(std::move(shared), std::move(members)));
  if (created->ownMembers.processCount() == 1)
    created->makeLocals();
  else if (Status status = created->makeGroup(); !status.ok())
    return status;
  return created;
}

Status ProcessGroup::makeGroup() {
  // Every process creates its groups in the same order, so one tag for each step is enough.
  constexpr int32_t firstTag = 1, secondTag = 2;
  struct Made {
    std::vector<int32_t> processes;
    PccMpiGroup first = 0, second = 0;
  };
  auto made = std::make_shared<Made>();
  made->processes.assign(ownMembers.processes.begin(), ownMembers.processes.end());
  Status status = shared->engine->meet("a new group of MPI", [made, &mpi = shared->engine->mpi()] {
    const int32_t *processes = made->processes.data();
    int32_t count = int32_t(made->processes.size());
    int code = mpi.make(processes, count, firstTag, &made->first);
    if (code == 0)
      code = mpi.make(processes, count, secondTag, &made->second);
    return statusOf(mpi, code);
  });
  if (status.ok())
    mpiGroup = std::make_shared<MpiGroup>(shared->engine, shared->abort, ownMembers,
                                          shared->reductions, made->first, made->second);
  return status;
}

void ProcessGroup::makeLocals() {
  for (std::unique_ptr<Communicator> &local :
       makeLocalCommunicators(ownMembers.size(), shared->cores))
    localComms.push_back(std::move(local));
  shared->abort->listen([any = localComms[0]](const std::string &reason) { any->abort(reason); });
}

Expected<std::shared_ptr<ProcessGroup>>
ProcessGroup::childOf(uint64_t split, const std::vector<SplitChoice> &choices, int32_t color) {
  std::lock_guard lock(mutex);
  if (!children.contains(split))
    if (Status status = makeChildren(split, choices); !status.ok())
      return status;
  return children[split][color];
}

/// Creates groups in ascending order of colors in every process, so that processes cannot wait in a
/// circle.
Status ProcessGroup::makeChildren(uint64_t split, const std::vector<SplitChoice> &choices) {
  std::set<int32_t> ownColors;
  for (int position : ownMembers.local())
    ownColors.insert(choices[position].color);
  Children made;
  for (int32_t color : ownColors) {
    std::vector<int> ranks;
    for (int position : membersOfColor(choices, color))
      ranks.push_back(ownMembers.ranks[position]);
    Expected<std::shared_ptr<ProcessGroup>> child = make(shared, std::move(ranks));
    if (!child)
      return child.status();
    made[color] = *child;
  }
  children[split] = std::move(made);
  return {};
}

} // namespace pcc::runtime::mpi
