// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between host and GPU that overlap with computation. A staging transfers the data of the
// next step while the GPU computes the current one:
//
//   host            writes image ........ writes image ........
//   copies                       to GPU ....            to GPU ....
//   rank's stream   step n ..................| move | step n+1 ......
//
// The transferred data wait in a GPU buffer of their own, since their destination is read until the
// end of the step. When the rank's stream reaches the move, it copies them at the speed of GPU
// memory. A snapshot of device memory is read by the host while the next steps are enqueued.

#pragma once

#include "runtime/device/cuda/driver/SideStream.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {

/// Enqueues transfers on `copies`, which several places of the rank may share, and moves on
/// `stream`. `copies` must have ordinary priority. With first priority, which waiting receives
/// have, a transfer queued behind such a receive could delay the step that sends the answer.
Expected<std::unique_ptr<HostToDeviceStaging>>
makeHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                        DevicePointer destination, uint64_t bytes);

Expected<std::unique_ptr<Snapshot>> makeSnapshot(Stream &stream, DevicePointer source,
                                                 uint64_t bytes);

} // namespace pcc::runtime::cuda
