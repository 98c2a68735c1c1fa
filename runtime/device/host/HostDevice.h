// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU as a device: the compiler's kernels, oneDNN for matmuls, convolutions and attention, one
// OpenMP team per rank.

#pragma once

#include "runtime/device/Device.h"

#include <string>

namespace pcc::runtime {

/// Creates devices for `ranks` ranks of the executable from `first` on (0: all). The executable
/// must be valid and outlive them. They share `threads` threads (0: one per core): each rank gets
/// an equal part, at least one. Errors: Unavailable if this machine lacks a CPU feature or a
/// library that the executable needs; BadInput if the constants cannot be read from the program's
/// file.
Expected<std::vector<std::unique_ptr<Device>>> makeHostDevices(const abi::Executable &executable,
                                                               int threads = 0, int64_t ranks = 0,
                                                               int64_t first = 0);

/// Returns the version of oneDNN, which matmuls, convolutions and attention need. Unavailable, with
/// the reason, without it.
Expected<std::string> oneDnnVersion();

} // namespace pcc::runtime
