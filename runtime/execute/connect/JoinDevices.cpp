// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries transports in this order: the host communicator itself, staging through the host for an
// emulated link, one shared GPU, NCCL. Staging replaces NCCL where NCCL is neither possible nor
// required.

#include "runtime/execute/connect/JoinDevices.h"

#include "runtime/collective/StagedCommunicator.h"
#include "runtime/collective/gpu/SharedGpu.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/device/host/HostDevice.h"
#include "runtime/execute/connect/JoinNccl.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

using Joined = Expected<std::shared_ptr<Communicator>>;

Joined joinMemory(std::shared_ptr<Communicator> host, Device &) { return host; }

Joined refuseNccl(std::shared_ptr<Communicator>, Device &) {
  return Status::badUsage("--communicator=nccl: expected a program for GPUs (--target)");
}

Joined joinStaged(std::shared_ptr<Communicator> host, Device &device) {
  return std::shared_ptr<Communicator>(
      std::make_shared<StagedCommunicator>(std::move(host), device));
}

bool shareOneGpu(std::span<const std::unique_ptr<Device>> devices) {
  auto gpuOf = [](Device &device) { return cuda::partsOf(device).stream.gpu; };
  return std::all_of(devices.begin(), devices.end(), [&](const std::unique_ptr<Device> &device) {
    return gpuOf(*device) == gpuOf(*devices.front());
  });
}

JoinDevices joinOnGpu(int ranks) {
  auto shared = std::make_shared<const SharedGpu>(ranks);
  return [shared](std::shared_ptr<Communicator> host, Device &device) -> Joined {
    auto joined = shared->join(host->position(), cuda::partsOf(device));
    if (!joined)
      return joined.status();
    return std::shared_ptr<Communicator>(std::move(*joined));
  };
}

} // namespace

JoinDevices chooseJoin(const World &world, const abi::Executable &executable,
                       std::span<const std::unique_ptr<Device>> devices,
                       const JoinOptions &options) {
  if (devices.front()->hasHostMemory())
    return options.requiresNccl ? refuseNccl : joinMemory;
  if (options.viaHost)
    return joinStaged;
  if (!options.requiresNccl && world.isSingleProcess() && shareOneGpu(devices))
    return joinOnGpu(world.placement.ranks);
  return joinByNccl(world, executable, options, joinStaged);
}

Expected<std::vector<std::unique_ptr<Device>>> openDevices(const abi::Executable &executable,
                                                           const World &world, int threads) {
  return executable.has_gpu_code()
             ? makeCudaDevices(executable, world.firstRank(), world.ownRanks(), threads)
             : makeHostDevices(executable, threads, world.ownRanks(), world.firstRank());
}

} // namespace pcc::runtime
