// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When ranks are joined by NCCL: where each has a GPU of its own and the library is there. All find
// the same, for all look at what each says of itself over the host's communicator.

#ifndef PCC_RUNTIME_EXECUTE_JOINNCCL_H
#define PCC_RUNTIME_EXECUTE_JOINNCCL_H

#include "runtime/abi/program.pb.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/execute/DeviceCommunicator.h"

namespace pcc::runtime {

/// What a rank says of itself.
struct Introduction {
  cuda::Uuid gpu = {};
  /// Of its NCCL, as the library says it; 0: it has none.
  int64_t version = 0;
};

/// Success if NCCL can join the ranks that these are. Errors: Unavailable without the library,
/// BadUsage for ranks that share a GPU or have different versions.
Status checkIntroductions(std::span<const Introduction> ranks);

/// A run that waits longer for its ranks waits longer for them to meet, too.
nccl::CommOptions commOptionsOf(const JoinOptions &options);

/// By NCCL where that is possible. Else, if the options demand it, an error that names the reason;
/// if not, the first rank warns of it and all go as `otherwise` says.
JoinDevices joinByNccl(const World &world, const abi::Executable &executable,
                       const JoinOptions &options, JoinDevices otherwise);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_JOINNCCL_H
