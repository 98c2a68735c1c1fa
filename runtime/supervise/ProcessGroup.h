// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that are started together, and end together at the latest with the process that started
// them. One of them may be an mpirun, which is watched.

#pragma once

#include "runtime/base/Base.h"

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace pcc::runtime {

/// Blocks the signals that a supervisor waits for during its lifetime: SIGCHLD, SIGTERM, SIGINT and
/// SIGUSR1. None of them is lost, whenever it comes.
class AwaitedSignals {
public:
  AwaitedSignals();
  ~AwaitedSignals();
  AwaitedSignals(const AwaitedSignals &) = delete;

  /// Waits up to `seconds` for one of the signals and returns it; 0: none came.
  int wait(double seconds) const;
  /// The mask from before, which started processes get.
  const sigset_t &previous() const { return before; }

private:
  sigset_t awaited, before;
};

/// How a process ended.
struct ProcessEnd {
  int process = 0; ///< its number in the group
  pid_t pid = 0;
  int code = 0;   ///< exit code; after a signal 128 and its number, as a shell reports it
  int signal = 0; ///< the signal that ended it; 0: it ended by itself
};

/// A variable of the environment; without a value it is not set.
using Variable = std::pair<std::string, std::optional<std::string>>;

class ProcessGroup {
public:
  /// `signals` must outlive the group.
  explicit ProcessGroup(const AwaitedSignals &signals) : signals(signals) {}
  /// Ends all processes by SIGKILL, and waits for them.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup &) = delete;

  /// Starts the guard, which leads the group of the system to which all processes will belong. It
  /// kills them and their descendants when this process ends, however that happens. Called first.
  /// Failed if there can be no further process.
  Status startGuard();

  /// Starts a process with this process's environment and `variables`. It has no standard input and
  /// ignores SIGUSR1 until it handles it. A terminal's Ctrl+C reaches only its parent. BadUsage if
  /// the command cannot be started.
  Status start(const std::vector<std::string> &command, const std::vector<Variable> &variables);

  /// Returns the number of processes that have not ended.
  int running() const;

  /// Returns the process that was started first, unless it has ended.
  std::optional<pid_t> first() const {
    return members.empty() || members.front().hasEnded ? std::nullopt
                                                       : std::optional(members.front().pid);
  }

  /// Returns the processes that have ended since the last call. After the last of them, kills what
  /// all have left behind.
  std::vector<ProcessEnd> takeEnded();

  /// Sends a signal to the processes that have not ended.
  void send(int signal) const;
  /// Sends SIGKILL to them and to their descendants.
  void kill() const;

private:
  struct Member {
    pid_t pid;
    bool hasEnded = false;
  };
  const AwaitedSignals &signals;
  pid_t guard = 0; ///< 0: none
  std::vector<Member> members;
};

//===-- StuckLauncher.cpp ---------------------------------------------------------------------===//

// Finds an mpirun that waits for processes which have ended. Open MPI's mpirun may miss the end of
// a rank that dies while it connects, and then never ends itself.

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
