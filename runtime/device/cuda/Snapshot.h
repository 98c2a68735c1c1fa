// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of device memory, read by the host while the next steps are enqueued.

#ifndef PCC_RUNTIME_DEVICE_CUDA_SNAPSHOT_H
#define PCC_RUNTIME_DEVICE_CUDA_SNAPSHOT_H

#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {

Expected<std::unique_ptr<Snapshot>> makeSnapshot(Stream &stream, DevicePointer source,
                                                 uint64_t bytes);

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_SNAPSHOT_H
