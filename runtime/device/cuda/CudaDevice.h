// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's GPUs as devices, by the driver's API alone: the compiler's kernels and a stream per
// rank.

#ifndef PCC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define PCC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "runtime/device/Device.h"

#include <vector>

namespace pcc::runtime {

namespace cuda {
class Code;
class CudnnRecords;
class EventClock;
class Products;
class Stream;

/// What a rank's records run on, which goes with its device.
struct RankParts {
  const Code &code;
  Stream &stream;
  Products &products;
  CudnnRecords &cudnn;
  /// Null before Device::startMarking.
  EventClock *clock = nullptr;
};

/// Of a device of this kind.
RankParts partsOf(Device &device);
} // namespace cuda

/// Devices for the ranks `first` … `first + ranks - 1` of an executable with code for GPUs, which
/// must be valid and outlive them. Ranks go to this machine's GPUs in turn, so several may share
/// one. Errors: Unavailable without a driver or a GPU that runs the code; the driver's.
Expected<std::vector<std::unique_ptr<Device>>> makeCudaDevices(const abi::Executable &executable,
                                                               int64_t first, int64_t ranks);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
