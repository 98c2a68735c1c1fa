// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins ranks with NCCL if each rank has a GPU of its own and the library is available. The ranks
// exchange their properties over the host's communicator, so all of them reach the same decision.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/execute/connect/JoinDevices.h"

namespace pcc::runtime {

/// The properties that a rank reports to the other ranks.
struct RankIdentity {
  cuda::Uuid gpu = {};
  /// NCCL's version number; 0: the rank has no NCCL.
  int64_t version = 0;
};

/// Returns success if NCCL can join these ranks. Errors: Unavailable without the library; BadUsage
/// for ranks that share a GPU or have different versions.
Status checkRankIdentities(std::span<const RankIdentity> ranks);

/// Returns the options of the communicators. Their timeout is at least the run's timeout.
nccl::CommOptions commOptionsOf(const JoinOptions &options);

/// Joins ranks with NCCL where possible. Otherwise, if the options demand NCCL, the error names the
/// reason. If they do not, rank 0 warns and all ranks use `otherwise`.
JoinDevices joinByNccl(const World &world, const abi::Executable &executable,
                       const JoinOptions &options, JoinDevices otherwise);

} // namespace pcc::runtime
