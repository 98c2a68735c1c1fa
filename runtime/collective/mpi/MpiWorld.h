// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over MPI: ranks are threads of several processes, on one machine or many. Each
// process opens the plug-in (plugin/PccMpi.h); its engine (Engine.h) makes all calls of MPI.
//
//   auto library = mpi::openLibrary();
//   auto engine = mpi::Engine::begin(**library, oversubscribed);     // once in a process
//   auto world = mpi::makeWorld(*engine, ranks, {});
//
// Groups whose ranks are all in one process are local. Ranks may split only one communicator at a
// time, since all processes create the groups of a split together.

#pragma once

#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/Operation.h"

namespace pcc::runtime::mpi {

struct WorldOptions {
  Reductions reductions = Reductions::Ordered;
  /// Data that must be equal in all processes, for example the serialized program.
  std::string common = {};
  /// Cores of this process, for groups within it; 0: the whole machine.
  int cores = 0;
};

/// Creates a world of `ranks` ranks on all processes of the engine; each process calls it. Errors:
/// the processes differ in `options.common`; MPI errors.
Expected<std::unique_ptr<World>> makeWorld(std::shared_ptr<Engine> engine, int ranks,
                                           const WorldOptions &options);

} // namespace pcc::runtime::mpi
