// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the user chooses no host communicator, one process needs no world. Several use a store over
// TCP under torchrun, and MPI otherwise. Threads are divided among the processes of a machine.

#include "runtime/execute/connect/OpenWorld.h"

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/collective/mpi/MpiWorld.h"
#include "runtime/collective/store/StoreWorld.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace pcc::runtime {
namespace {

/// Describes the launch, for example "mpirun started 4 processes".
std::string startOf(const Launch &launch) {
  return launch.launcher.empty() ? "nobody started several processes"
                                 : fmt::format("{} started {} process{}", launch.launcher,
                                               launch.processes, launch.isAlone() ? "" : "es");
}

Status checkOptions(const abi::RunConfig &config, const Launch &launch, int ranks) {
  if (config.communicator() == abi::COMMUNICATOR_LOCAL && !launch.isAlone())
    return Status::badUsage(fmt::format(
        "--communicator: expected mpi, store or auto, since {}, got local", startOf(launch)));
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

/// Returns the communicator of the processes' hosts, independent of the devices' communicator.
abi::CommunicatorKind hostKind(const abi::RunConfig &config, const Launch &launch) {
  if (config.communicator() != abi::COMMUNICATOR_AUTO &&
      config.communicator() != abi::COMMUNICATOR_NCCL)
    return config.communicator();
  if (launch.isAlone())
    return abi::COMMUNICATOR_LOCAL;
  return launch.launcher == "torchrun" ? abi::COMMUNICATOR_STORE : abi::COMMUNICATOR_MPI;
}

using Warn = std::function<void(const std::string &)>;
using Opened = Expected<std::shared_ptr<World>>;

Opened shared(Expected<std::unique_ptr<World>> world) {
  if (!world)
    return world.status();
  return std::shared_ptr<World>(std::move(*world));
}

/// Checks the number of processes. OpenMPI started without a launcher believes that it is alone.
Status checkProcesses(const mpi::Engine &engine, const Launch &launch) {
  if (engine.processes() == launch.processes)
    return {};
  return Status::badUsage(
      fmt::format("{}, but MPI knows of {}; start them by 'mpirun -n {}' or by 'srun --mpi=pmix'",
                  startOf(launch), engine.processes(), launch.processes));
}

Opened openMpi(abi::Executable &executable, const abi::RunConfig &config, const Launch &launch,
               int ranks) {
  Expected<const PccMpi *> library = mpi::openLibrary();
  if (!library)
    return library.status();
  // Each process has an engine thread beside its rank threads.
  int threads = launch.localProcesses + launch.localProcesses * ranks / launch.processes;
  bool isOversubscribed = threads > int(std::thread::hardware_concurrency());
  mpi::MeetingLimits limits;
  limits.later = std::max(limits.later, config.time_out());
  auto engine = mpi::Engine::begin(**library, isOversubscribed, limits);
  if (!engine)
    return engine.status();
  if (Status status = checkProcesses(**engine, launch); !status.ok())
    return status;
  mpi::WorldOptions options{.reductions = config.reduction() == abi::REDUCTION_LIBRARY
                                              ? mpi::Reductions::Library
                                              : mpi::Reductions::Ordered,
                            .common = abi::identityOf(executable),
                            .cores = threadsOf(config, launch)};
  return shared(mpi::makeWorld(std::move(*engine), ranks, options));
}

/// Returns the address at which the processes of a launch find the store. Without a token the store
/// listens at the loopback only: anybody on the network could join the run.
Expected<store::Address> storeAddress(const Launch &launch, bool hasToken, const Warn &warn) {
  if (launch.storeHost.empty())
    return Status::badUsage(fmt::format("{} on several machines: expected the first one's name in "
                                        "the environment's 'MASTER_ADDR'",
                                        startOf(launch)));
  Expected<int> port = readStorePort();
  if (!port)
    return port.status();
  store::Address address{launch.storeHost, *port};
  if (hasToken || address.isLoopback())
    return address;
  if (launch.localProcesses < launch.processes)
    return Status::badUsage(
        fmt::format("{} on several machines: expected a token of the store in the environment's "
                    "'PCC_STORE_TOKEN' or 'PCC_STORE_TOKEN_FILE', the same for all processes",
                    startOf(launch)));
  if (launch.isFirst() && warn)
    warn(fmt::format("the store listens at 127.0.0.1 and not at '{}', since there is no token "
                     "('PCC_STORE_TOKEN')",
                     address.host));
  address.host = "127.0.0.1";
  return address;
}

Opened openStore(abi::Executable &executable, const abi::RunConfig &config, const Launch &launch,
                 int ranks, const Warn &warn) {
  Expected<store::Token> token = store::readToken();
  if (!token)
    return token.status();
  store::WorldOptions options;
  options.process = launch.process;
  options.processes = launch.processes;
  options.ranks = ranks;
  options.common = abi::identityOf(executable);
  if (!launch.isAlone()) {
    Expected<store::Address> address = storeAddress(launch, bool(*token), warn);
    if (!address)
      return address.status();
    options.address = *address;
  }
  options.token = std::move(*token);
  // The processes may take as long to connect as a rank may wait.
  options.startTimeout = std::max(options.startTimeout, config.time_out());
  options.endTimeout = std::max(options.endTimeout, config.time_out());
  return shared(store::makeWorld(options));
}

} // namespace

int threadsOf(const abi::RunConfig &config, const Launch &launch) {
  int cores = int(std::max(1u, std::thread::hardware_concurrency()));
  // If a launcher bound this process to some cores, they already are its share.
  bool isBound = cores < int(sysconf(_SC_NPROCESSORS_ONLN));
  if (config.threads() == 0 && isBound)
    return cores;
  int all = config.threads() > 0 ? config.threads() : cores;
  return std::max(1, all / launch.localProcesses);
}

Opened openWorld(abi::Executable &executable, const abi::RunConfig &config, const Launch &launch,
                 const Warn &warn) {
  int ranks = int(abi::rankCount(executable.mesh()));
  if (Status status = checkOptions(config, launch, ranks); !status.ok())
    return status;
  switch (hostKind(config, launch)) {
  case abi::COMMUNICATOR_MPI:
    return openMpi(executable, config, launch, ranks);
  case abi::COMMUNICATOR_STORE:
    return openStore(executable, config, launch, ranks, warn);
  default:
    return std::shared_ptr<World>();
  }
}

} // namespace pcc::runtime
