// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When ranks are joined by NCCL: where each has a GPU of its own and the library is there. All find
// the same, for all look at what each says of itself over the host's communicator.

#ifndef PCC_RUNTIME_EXECUTE_JOINNCCL_H
#define PCC_RUNTIME_EXECUTE_JOINNCCL_H

#include "runtime/abi/program.pb.h"
#include "runtime/execute/DeviceCommunicator.h"

namespace pcc::runtime {

/// By NCCL where that is possible, else as `otherwise` says; with `isDemanded` an error then, which
/// names the reason: Unavailable without the library, BadUsage for ranks that share a GPU.
/// `timeOut`: seconds that a rank of the run may wait for others; 0: no limit of its own.
JoinDevices joinByNccl(const World &world, const abi::Executable &executable, bool isDemanded,
                       double timeOut, JoinDevices otherwise);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_JOINNCCL_H
