// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/open/JoinNccl.h"

#include "runtime/collective/nccl/NcclRanks.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/execute/open/MessageRoutes.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime {

Status checkRankIdentities(std::span<const RankIdentity> ranks) {
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].version)
      return nccl::Nccl::get() ? Status::unavailable(fmt::format("rank {} has no NCCL", rank))
                               : nccl::Nccl::get().status();
    if (ranks[rank].version != ranks[0].version)
      return Status::badUsage(
          fmt::format("rank 0 has NCCL {}, but rank {} has {}: expected the same on all machines",
                      nccl::versionText(int(ranks[0].version)), rank,
                      nccl::versionText(int(ranks[rank].version))));
    for (size_t other = 0; other < rank; ++other)
      if (std::memcmp(&ranks[rank].gpu, &ranks[other].gpu, sizeof(cuda::Uuid)) == 0)
        return Status::badUsage(
            fmt::format("ranks {} and {} have the same GPU, and NCCL joins ranks with a GPU of "
                        "their own",
                        other, rank));
  }
  return {};
}

nccl::CommOptions commOptionsOf(const JoinOptions &options) {
  nccl::CommOptions ofComms;
  ofComms.timeout = std::max(ofComms.timeout, options.timeOut);
  return ofComms;
}

namespace {

/// Gathers the properties of all ranks.
Expected<std::vector<RankIdentity>> gatherRankIdentities(Communicator &host, Device &device) {
  RankIdentity own{.gpu = cuda::partsOf(device).stream.gpu->properties.uuid};
  if (const Expected<nccl::Nccl> &library = nccl::Nccl::get()) {
    Expected<int> version = library->version();
    if (!version)
      return version.status();
    own.version = *version;
  }
  std::vector<RankIdentity> all(size_t(host.size()));
  CollectiveCall call{.kind = abi::ALL_GATHER, .type = abi::I64, .source = &own, .shape = {1, 3}};
  static_assert(sizeof own == 3 * sizeof(int64_t));
  call.destination = all.data();
  if (Status status = host.run({&call, 1}); !status.ok())
    return status;
  return all;
}

} // namespace

JoinDevices joinByNccl(const World &world, const abi::Executable &executable,
                       const JoinOptions &options, JoinDevices otherwise) {
  std::shared_ptr<nccl::NcclRanks> ranks;
  if (const Expected<nccl::Nccl> &library = nccl::Nccl::get()) {
    ranks = std::make_shared<nccl::NcclRanks>(*library, messageRoutes(executable),
                                              commOptionsOf(options));
    world.onAbort([ranks](const std::string &reason) { ranks->abort(reason); });
  }
  using Joined = Expected<std::shared_ptr<Communicator>>;
  return [=](std::shared_ptr<Communicator> host, Device &device) -> Joined {
    Expected<std::vector<RankIdentity>> all = gatherRankIdentities(*host, device);
    if (!all)
      return all.status();
    Status possible = checkRankIdentities(*all);
    if (!possible.ok() && options.requiresNccl)
      return std::move(possible).within("--communicator=nccl");
    if (!possible.ok()) {
      if (host->position() == 0 && options.warn)
        options.warn(fmt::format("what ranks exchange goes by way of the host, which is slow: {}",
                                 possible.message()));
      return otherwise(std::move(host), device);
    }
    auto joined = ranks->join(std::move(host), cuda::partsOf(device));
    if (!joined)
      return joined.status();
    return std::shared_ptr<Communicator>(std::move(*joined));
  };
}

} // namespace pcc::runtime
