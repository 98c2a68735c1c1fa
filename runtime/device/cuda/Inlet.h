// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of the next step come while the GPU computes this one:
//
//   host            writes image ........ writes image ........
//   copies                       to GPU ....            to GPU ....
//   rank's stream   step n ..................| move | step n+1 ......
//
// They wait in memory of their own on the GPU, for their place is read until the step's end; from
// there they are moved when the stream comes to it, at the speed of the GPU's memory.

#ifndef PCC_RUNTIME_DEVICE_CUDA_INLET_H
#define PCC_RUNTIME_DEVICE_CUDA_INLET_H

#include "runtime/device/cuda/driver/SideStream.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {

/// Copies go on `copies`, which other inlets of the rank may share, and moves on `stream`. `copies`
/// must be of ordinary priority: behind a receive that waits, which has the other, they could hold
/// up the step that sends the answer.
Expected<std::unique_ptr<Inlet>> makeInlet(Stream &stream, std::shared_ptr<SideStream> copies,
                                           DevicePointer destination, uint64_t bytes);

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_INLET_H
