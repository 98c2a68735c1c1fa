// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU as a device: emitted kernels, oneDNN for products and convolutions, one OpenMP team per
// rank.

#ifndef PCC_RUNTIME_DEVICE_HOST_HOSTDEVICE_H
#define PCC_RUNTIME_DEVICE_HOST_HOSTDEVICE_H

#include "runtime/device/Device.h"

#include <string>

namespace pcc::runtime {

/// Devices for `ranks` ranks of the executable (0: all), which must be valid and outlive them,
/// sharing `threads` threads (0: one per core): each rank gets its equal part, at least one.
/// Errors: Unavailable if this machine lacks a CPU feature or a library that the executable needs.
Expected<std::vector<std::unique_ptr<Device>>> makeHostDevices(const abi::Executable &executable,
                                                               int threads = 0, int64_t ranks = 0);

/// The version of oneDNN, which matrix products and convolutions need; Unavailable with the reason
/// without it.
Expected<std::string> oneDnnVersion();

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DEVICE_HOST_HOSTDEVICE_H
