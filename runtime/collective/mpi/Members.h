// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of ranks as seen by one process: the process of each member, and the own members, which
// are ranks of this process.

#pragma once

#include "runtime/collective/World.h"

namespace pcc::runtime::mpi {

struct Members {
  /// `ranks` lists the world's ranks by position. `process` is the process that owns this view.
  Members(std::vector<int> ranks, const Placement &placement, int process);

  /// Ranks of the world, by position.
  std::vector<int> ranks;
  /// Processes of the world that have members, ordered by their first positions. The fields and
  /// functions below number processes by their index in this list, as the group's MPI communicators
  /// do.
  std::vector<int> processes;
  /// Number of the process that owns this view; -1 if it has no member.
  int own = -1;
  /// By position: the member's process. By process: its positions, ascending.
  std::vector<int> processOf;
  std::vector<std::vector<int>> positionsOf;

  int size() const { return int(ranks.size()); }
  int processCount() const { return int(processes.size()); }
  /// Returns the positions of own members.
  const std::vector<int> &local() const { return positionsOf[own]; }
  /// Returns the index of a position among those of its process.
  int indexInProcess(int position) const;
};

} // namespace pcc::runtime::mpi
