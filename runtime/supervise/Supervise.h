// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a training command as one or several processes of this machine, and starts it again from its
// latest checkpoint when a process dies.

#pragma once

#include "runtime/base/Base.h"

#include <functional>
#include <string>
#include <vector>

namespace pcc::runtime {

struct SuperviseOptions {
  /// The program and its arguments. It may be another launcher, such as mpirun.
  std::vector<std::string> command;
  /// Number of processes. Several get torchrun's variables, and find each other by a store.
  int processes = 1;
  /// How often they are started again at most. Then the command gets the argument
  /// `--resume=CHECKPOINT`.
  int64_t restarts = 0;
  /// Folder of the command's checkpoints. It must not be empty if `restarts` is not 0.
  std::string checkpoints = {};
  /// Seconds between SIGTERM and SIGKILL, by which the other processes end when one has died.
  double grace = 10;
  /// Seconds before a restart if the run that failed completed no checkpoint. They double with each
  /// such run in succession, up to 5 minutes. After a checkpoint the restart follows at once.
  double backoff = 1;
  /// Gets one line for each run of the processes that failed: which process failed first, and
  /// whether a restart follows. A single process without restarts gives no line if it ends with an
  /// exit code that no restart changes.
  std::function<void(const std::string &)> tell = [](const std::string &) {};
};

/// Returns whether a process that ended with this exit code, by itself, may succeed in a new try.
/// It may after a failure of the run (5) or of pcc itself (70), or if the command is a launcher or
/// a shell and a signal ended its process. A mistake of the user and a requested end are final.
bool isWorthRestart(int exitCode);

/// Returns the value of the last argument `--NAME=VALUE` or `--NAME VALUE` for the flag `--NAME`;
/// empty: there is none.
std::string valueOf(const std::vector<std::string> &command, const std::string &flag);

/// Supervises the command until all processes have ended well, or one ended for good. SIGTERM,
/// SIGINT and SIGUSR1 to this process are passed on; after one of the first two nothing starts
/// again. Returns the exit code of the process that failed first, or 0. No process is left when it
/// returns. Errors: BadUsage if the command cannot be started, or has no checkpoints to restart
/// from; Failed if the process that guards the others cannot be started.
Expected<int> supervise(const SuperviseOptions &options);

} // namespace pcc::runtime
