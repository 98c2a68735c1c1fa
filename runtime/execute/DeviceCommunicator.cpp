// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/DeviceCommunicator.h"

#include "runtime/collective/StagedCommunicator.h"
#include "runtime/collective/gpu/SharedGpu.h"
#include "runtime/device/cuda/Stream.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

using Joined = Expected<std::shared_ptr<Communicator>>;

Joined joinMemory(std::shared_ptr<Communicator> host, Device &) { return host; }

Joined joinStaged(std::shared_ptr<Communicator> host, Device &device) {
  return std::shared_ptr<Communicator>(
      std::make_shared<StagedCommunicator>(std::move(host), device));
}

bool shareAGpu(std::span<const std::unique_ptr<Device>> devices) {
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

JoinDevices chooseJoin(const World &world, std::span<const std::unique_ptr<Device>> devices,
                       bool overHost) {
  if (devices.front()->hasHostMemory())
    return joinMemory;
  if (world.isWhole() && !overHost && shareAGpu(devices))
    return joinOnGpu(world.placement.ranks);
  return joinStaged;
}

} // namespace pcc::runtime
