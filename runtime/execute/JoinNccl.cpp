// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/JoinNccl.h"

#include "runtime/collective/nccl/NcclRanks.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/execute/MessageRoutes.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime {
namespace {

/// What a rank says of itself, as four numbers of 64 bits: its GPU, and whether it has NCCL.
struct Introduction {
  cuda::Uuid gpu;
  int64_t hasLibrary;
  int64_t unused = 0;
};

/// Success if NCCL can join the ranks that these are.
Status checkRanks(std::span<const Introduction> ranks) {
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].hasLibrary)
      return nccl::Nccl::get() ? Status::unavailable(fmt::format("rank {} has no NCCL", rank))
                               : nccl::Nccl::get().status();
    for (size_t other = 0; other < rank; ++other)
      if (std::memcmp(&ranks[rank].gpu, &ranks[other].gpu, sizeof(cuda::Uuid)) == 0)
        return Status::badUsage(
            fmt::format("ranks {} and {} have the same GPU, and NCCL joins ranks with a GPU of "
                        "their own",
                        other, rank));
  }
  return {};
}

/// What all ranks say.
Expected<std::vector<Introduction>> introduce(Communicator &host, Device &device) {
  Introduction own{.gpu = cuda::partsOf(device).stream.gpu->facts.uuid,
                   .hasLibrary = bool(nccl::Nccl::get())};
  std::vector<Introduction> all(size_t(host.size()));
  CollectiveCall call{.kind = abi::ALL_GATHER, .type = abi::I64, .source = &own, .shape = {1, 4}};
  call.destination = all.data();
  if (Status status = host.run({&call, 1}); !status.ok())
    return status;
  return all;
}

} // namespace

JoinDevices joinByNccl(const World &world, const abi::Executable &executable, bool isDemanded,
                       double timeOut, JoinDevices otherwise) {
  std::shared_ptr<nccl::NcclRanks> ranks;
  if (const Expected<nccl::Nccl> &library = nccl::Nccl::get()) {
    // A run that waits longer for its ranks waits longer for them to meet, too.
    nccl::CommOptions options;
    options.patience = std::max(options.patience, timeOut);
    ranks = std::make_shared<nccl::NcclRanks>(*library, messageRoutes(executable), options);
    world.whenGivenUp([ranks](const std::string &reason) { ranks->abort(reason); });
  }
  using Joined = Expected<std::shared_ptr<Communicator>>;
  return [=](std::shared_ptr<Communicator> host, Device &device) -> Joined {
    Expected<std::vector<Introduction>> all = introduce(*host, device);
    if (!all)
      return all.status();
    Status possible = checkRanks(*all);
    if (!possible.ok())
      return isDemanded ? Joined(std::move(possible).within("--communicator=nccl"))
                        : otherwise(std::move(host), device);
    auto joined = ranks->join(std::move(host), cuda::partsOf(device));
    if (!joined)
      return joined.status();
    return std::shared_ptr<Communicator>(std::move(*joined));
  };
}

} // namespace pcc::runtime
