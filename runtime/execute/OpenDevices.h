// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kind of device a program runs on: what it was compiled for.

#ifndef PCC_RUNTIME_EXECUTE_OPENDEVICES_H
#define PCC_RUNTIME_EXECUTE_OPENDEVICES_H

#include "runtime/collective/World.h"
#include "runtime/device/Device.h"

#include <vector>

namespace pcc::runtime {

/// A device for each own rank of `world`: a GPU's if the executable has code for GPUs, else the
/// host's `threads` threads (0: one per core) together. Errors: as makeCudaDevices,
/// makeHostDevices.
Expected<std::vector<std::unique_ptr<Device>>> openDevices(const abi::Executable &executable,
                                                           const World &world, int threads);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_OPENDEVICES_H
