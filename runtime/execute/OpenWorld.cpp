// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/OpenWorld.h"

#include "runtime/abi/RankExpression.h"
#include "runtime/collective/mpi/MpiWorld.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace pcc::runtime {
namespace {

/// "mpirun started 4 processes".
std::string startOf(const Launch &launch) {
  return launch.launcher.empty() ? "nobody started several processes"
                                 : fmt::format("{} started {} process{}", launch.launcher,
                                               launch.processes, launch.isAlone() ? "" : "es");
}

Status checkOptions(const abi::RunConfig &config, const Launch &launch, int ranks) {
  if (config.communicator() == abi::COMMUNICATOR_LOCAL && !launch.isAlone())
    return Status::badUsage(
        fmt::format("--communicator: expected mpi or auto, since {}, got local", startOf(launch)));
  if (launch.isAlone())
    return {};
  if (!config.link().empty())
    return Status::badUsage(
        fmt::format("--link: expected local ranks alone, but {}", startOf(launch)));
  if (ranks % launch.processes != 0)
    return Status::badUsage(fmt::format(
        "the program has {} rank{}, but {}: expected a number of processes that divides {}; "
        "--device-num compiles a model for another number of ranks",
        ranks, ranks == 1 ? "" : "s", startOf(launch), ranks));
  return {};
}

/// OpenMPI that nobody told of other processes takes itself for the only one.
Status checkProcesses(const mpi::Engine &engine, const Launch &launch) {
  if (engine.processes() == launch.processes)
    return {};
  return Status::badUsage(
      fmt::format("{}, but MPI knows of {}; start them by 'mpirun -n {}' or by 'srun --mpi=pmix'",
                  startOf(launch), engine.processes(), launch.processes));
}

} // namespace

int threadsOf(const abi::RunConfig &config, const Launch &launch) {
  int cores = int(std::max(1u, std::thread::hardware_concurrency()));
  // Where a launcher bound this process to some cores, these are its share already.
  bool isBound = cores < int(sysconf(_SC_NPROCESSORS_ONLN));
  if (config.threads() == 0 && isBound)
    return cores;
  int all = config.threads() > 0 ? config.threads() : cores;
  return std::max(1, all / launch.localProcesses);
}

Expected<std::shared_ptr<World>> openWorld(const abi::Executable &executable,
                                           const abi::RunConfig &config, const Launch &launch) {
  int ranks = int(abi::rankCount(executable.mesh()));
  if (Status status = checkOptions(config, launch, ranks); !status.ok())
    return status;
  bool isLocal = config.communicator() == abi::COMMUNICATOR_LOCAL ||
                 (config.communicator() == abi::COMMUNICATOR_AUTO && launch.isAlone());
  if (isLocal)
    return std::shared_ptr<World>();
  Expected<const PccMpi *> library = mpi::openLibrary();
  if (!library)
    return library.status();
  // The engine of each process beside its ranks.
  int threads = launch.localProcesses + launch.localProcesses * ranks / launch.processes;
  bool isPatient = threads > int(std::thread::hardware_concurrency());
  auto engine = mpi::Engine::begin(**library, isPatient);
  if (!engine)
    return engine.status();
  if (Status status = checkProcesses(**engine, launch); !status.ok())
    return status;
  mpi::WorldOptions options{.reductions = config.reduction() == abi::REDUCTION_LIBRARY
                                              ? mpi::Reductions::Library
                                              : mpi::Reductions::Ordered,
                            .common = executable.SerializeAsString(),
                            .cores = threadsOf(config, launch)};
  auto world = mpi::makeWorld(std::move(*engine), ranks, options);
  if (!world)
    return world.status();
  return std::shared_ptr<World>(std::move(*world));
}

} // namespace pcc::runtime
