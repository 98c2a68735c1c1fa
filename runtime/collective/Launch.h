// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who started this process, and as which of how many: the conventions of mpirun (OpenMPI, and the
// PMI of MPICH's hydra), Slurm and torchrun; and where process 0 can be reached.

#ifndef PCC_RUNTIME_COLLECTIVE_LAUNCH_H
#define PCC_RUNTIME_COLLECTIVE_LAUNCH_H

#include "runtime/base/Base.h"

#include <functional>
#include <string>

namespace pcc::runtime {

struct Launch {
  /// "mpirun", "srun", "torchrun"; empty: nobody who says so, and this is the only process.
  std::string launcher = {};
  int process = 0;
  int processes = 1;
  /// The same among the processes of this machine.
  int localProcess = 0;
  int localProcesses = 1;
  /// Where process 0 has its store; no host: nobody says.
  std::string storeHost = {};

  bool isAlone() const { return processes == 1; }
  bool isFirst() const { return process == 0; }
};

/// Looks up one variable of the environment; null if it is not there.
using Environment = std::function<const char *(const char *name)>;

/// Reads the launch from the environment. Where several conventions are there, mpirun's counts
/// before torchrun's, and that before Slurm's, in whose allocations the others run. Error
/// (BadUsage): a variable that is no number, or a process that is not below their number.
///
/// The store is on the host MASTER_ADDR. Without it, it is on the machine where all processes are,
/// or on the first node of Slurm's step.
Expected<Launch> readLaunch(const Environment &environment);

/// The port of the store: MASTER_PORT; without it 29500, as torchrun has it. Where torchrun keeps a
/// store of its own at the port (TORCHELASTIC_USE_AGENT_STORE), ours is at the next one. Error
/// (BadUsage): no port. Only who needs the store asks, for others may have set the variable.
Expected<int> readStorePort(const Environment &environment);

/// Of this process.
Expected<Launch> readLaunch();
Expected<int> readStorePort();

} // namespace pcc::runtime

#endif // PCC_RUNTIME_COLLECTIVE_LAUNCH_H
