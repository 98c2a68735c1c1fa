// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/open/OpenDevices.h"

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/host/HostDevice.h"

namespace pcc::runtime {

Expected<std::vector<std::unique_ptr<Device>>> openDevices(const abi::Executable &executable,
                                                           const World &world, int threads) {
  return executable.has_gpu_code()
             ? makeCudaDevices(executable, world.firstRank(), world.ownRanks())
             : makeHostDevices(executable, threads, world.ownRanks());
}

} // namespace pcc::runtime
