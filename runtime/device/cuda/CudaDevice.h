// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA GPUs as devices, using only the driver API: the compiler's kernels and one stream per
// rank.

#pragma once

#include "runtime/device/Device.h"

#include <vector>

namespace pcc::runtime {

namespace cuda {
class Code;
class CudnnInstructions;
class EventClock;
class LibraryMatmuls;
class Stream;

/// The code, stream and libraries that a rank's instructions use. They live as long as its device.
struct RankParts {
  const Code &code;
  Stream &stream;
  LibraryMatmuls &matmuls;
  CudnnInstructions &cudnn;
  /// Null before Device::startTimestamps.
  EventClock *clock = nullptr;
};

/// Returns the parts of a CUDA device.
RankParts partsOf(Device &device);
} // namespace cuda

/// Creates devices for ranks `first` … `first + ranks - 1` of an executable with GPU code. The
/// executable must be valid and outlive the devices. Ranks are assigned to this machine's GPUs
/// round-robin, so several may share one. They share `threads` host threads (0: one per core),
/// which write their inputs. Errors: Unavailable without a driver or a GPU that runs the code;
/// driver errors.
Expected<std::vector<std::unique_ptr<Device>>>
makeCudaDevices(const abi::Executable &executable, int64_t first, int64_t ranks, int threads = 0);

} // namespace pcc::runtime
