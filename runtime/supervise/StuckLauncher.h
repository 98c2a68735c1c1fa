// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds an mpirun that waits for processes which have ended. Open MPI's mpirun may miss the end of
// a rank that dies while it connects, and then never ends itself.

#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace pcc::runtime {

class StuckLauncher {
public:
  /// `program` is the name or path of the program that the watched process runs.
  explicit StuckLauncher(const std::string &program);

  /// Whether the program starts MPI processes. Others may leave ended children for good reasons.
  bool isLauncher() const { return isKnown; }

  /// Looks at process `pid`, `now` in nanoseconds. Returns whether all its children have ended at
  /// each look of the last `patience` seconds, and it has not waited for them. Counts anew after
  /// that.
  bool isStuck(pid_t pid, int64_t now);

  /// Seconds after which a launcher counts as stuck, and seconds between two looks.
  static constexpr double patience = 10, interval = 2;

private:
  bool isKnown;
  int64_t since = -1; ///< the first of these looks; -1: none
};

} // namespace pcc::runtime
