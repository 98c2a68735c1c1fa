// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over MPI: ranks are threads of several processes, on one machine or many. Each
// process opens the plug-in (plugin/PccMpi.h); its engine (Engine.h) makes all calls of MPI.
//
//   auto library = mpi::openLibrary();
//   auto engine = mpi::Engine::begin(**library, patient);     // once in a process
//   auto world = mpi::makeWorld(*engine, ranks, {});
//
// Groups whose ranks are all in one process are local ones. Ranks may split one communicator at a
// time: all processes make the groups of a split together.

#ifndef PCC_RUNTIME_COLLECTIVE_MPI_MPIWORLD_H
#define PCC_RUNTIME_COLLECTIVE_MPI_MPIWORLD_H

#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Operation.h"

namespace pcc::runtime::mpi {

struct WorldOptions {
  Reductions reductions = Reductions::Ordered;
  /// What all processes must have in common, as the program's fingerprint.
  std::string common = {};
  /// Cores of this process, for groups within it; 0: all of the machine.
  int cores = 0;
};

/// A world of `ranks` ranks on all processes of the engine; each process calls it. Errors: the
/// processes differ in what they must have in common; MPI's own.
Expected<std::unique_ptr<World>> makeWorld(std::shared_ptr<Engine> engine, int ranks,
                                           const WorldOptions &options);

} // namespace pcc::runtime::mpi

#endif // PCC_RUNTIME_COLLECTIVE_MPI_MPIWORLD_H
