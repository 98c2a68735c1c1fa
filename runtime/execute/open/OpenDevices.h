// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the devices that a program was compiled for.

#ifndef PCC_RUNTIME_EXECUTE_OPENDEVICES_H
#define PCC_RUNTIME_EXECUTE_OPENDEVICES_H

#include "runtime/collective/World.h"
#include "runtime/device/Device.h"

#include <vector>

namespace pcc::runtime {

/// Opens a device for each own rank of `world`. If the executable has GPU code, each device is a
/// GPU. Otherwise the ranks share `threads` host threads (0: one per core). Errors: those of
/// makeCudaDevices and makeHostDevices.
Expected<std::vector<std::unique_ptr<Device>>> openDevices(const abi::Executable &executable,
                                                           const World &world, int threads);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_OPENDEVICES_H
