// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads how this process was started: by which launcher, as which process of how many, and the
// address of process 0. It knows the conventions of mpirun (OpenMPI, and the PMI of MPICH's hydra),
// Slurm and torchrun. Whoever starts processes here gives them torchrun's variables.

#pragma once

#include "runtime/base/Base.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pcc::runtime {

struct Launch {
  /// "mpirun", "srun", "torchrun"; empty: no launcher, this is the only process.
  std::string launcher = {};
  int process = 0;
  int processes = 1;
  /// The same numbers among the processes of this machine.
  int localProcess = 0;
  int localProcesses = 1;
  /// Host of process 0's store; empty: unknown.
  std::string storeHost = {};

  bool isAlone() const { return processes == 1; }
  bool isFirst() const { return process == 0; }
};

/// Looks up one environment variable; null if it is not set.
using Environment = std::function<const char *(const char *name)>;

/// Reads the launch from the environment. If several conventions are present, mpirun's precedes
/// torchrun's, and torchrun's precedes Slurm's, since both also run inside Slurm allocations. Error
/// (BadUsage): a variable that is no number, or a process number that is not below the number of
/// processes.
///
/// The store is on the host MASTER_ADDR. Without MASTER_ADDR, it is on this machine if all
/// processes are here, otherwise on the first node of Slurm's step.
Expected<Launch> readLaunch(const Environment &environment);

/// Returns the port of the store: MASTER_PORT, or by default torchrun's 29500. If torchrun has a
/// store of its own at that port (TORCHELASTIC_USE_AGENT_STORE), ours is at the next port. Error
/// (BadUsage): no valid port. Call it only if the store is needed, since other tools may have set
/// the variable.
Expected<int> readStorePort(const Environment &environment);

/// Do the same with this process's environment.
Expected<Launch> readLaunch();
Expected<int> readStorePort();

/// Returns the variables with which process number `process` of `processes` is started on this
/// machine: torchrun's, with the store at `port` of the loopback. An absent value: the variable
/// must not be set, since another launcher would count as well.
std::vector<std::pair<std::string, std::optional<std::string>>>
variablesOfLocalProcess(int process, int processes, int port);

} // namespace pcc::runtime
