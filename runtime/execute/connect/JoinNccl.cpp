// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hard part is the order of messages, because NCCL has no tags (NcclRanks.h). So all messages
// of the executable are listed for both of their sides. If the orders differ, each tag has a route
// of its own.

#include "runtime/execute/connect/JoinNccl.h"

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/collective/nccl/NcclRanks.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/Stream.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

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
  ofComms.timeout = std::max(ofComms.timeout, options.timeout);
  return ofComms;
}

namespace {

/// Maps the name of a run to the tags of one side's messages, in the order in which that side
/// starts them. A run is a section or a step; the name of a step is empty.
using Order = std::map<std::string, std::vector<uint32_t>>;
/// By sender and receiver.
using Orders = std::map<std::pair<int, int>, Order>;

struct Sides {
  Orders sends, receives;
};

/// Adds the messages of a rank in a section to the run named `run`.
void addSection(const abi::Section &section, const abi::Mesh &mesh, int64_t rank,
                const std::string &run, Sides &sides) {
  for (const abi::Instruction &instruction : section.instructions()) {
    const abi::Collective &collective = instruction.collective();
    if (!instruction.has_collective() || !isPointToPoint(collective.kind()))
      continue;
    int peer = int(evaluate(collective.peer(), mesh, rank)), own = int(rank);
    if (peer < 0)
      continue; // the rank does not take part
    if (collective.kind() == abi::SEND)
      sides.sends[{own, peer}][run].push_back(collective.tag());
    else
      sides.receives[{peer, own}][run].push_back(collective.tag());
  }
}

Sides sidesOf(const abi::Executable &executable) {
  Sides sides;
  for (int64_t rank = 0; rank < abi::rankCount(executable.mesh()); ++rank) {
    const abi::Program &program = executable.programs(abi::programOfRank(executable, rank));
    for (const abi::Action &action : program.actions())
      addSection(program.sections(int(action.section())), executable.mesh(), rank, "", sides);
    for (const abi::Section &section : program.sections())
      addSection(section, executable.mesh(), rank, section.name(), sides);
  }
  return sides;
}

/// Groups the messages of each sender and receiver into routes. All messages of a pair share one
/// route if the sender starts them in the order in which the receiver does. This must hold for a
/// step and for each section that both have under the same name. Otherwise each tag has its own
/// route. Routes are sorted by sender, receiver and tag. The executable must be valid. Every rank
/// finds the same routes, since it has the programs of all ranks.
std::vector<nccl::Route> messageRoutes(const abi::Executable &executable) {
  Sides sides = sidesOf(executable);
  std::vector<nccl::Route> routes;
  for (const auto &[ends, sent] : sides.sends) {
    std::set<uint32_t> tags;
    for (const auto &[run, list] : sent)
      tags.insert(list.begin(), list.end());
    auto add = [&](std::vector<uint32_t> list) {
      routes.push_back({.sender = ends.first, .receiver = ends.second, .tags = std::move(list)});
    };
    if (sides.receives[ends] == sent) {
      add({tags.begin(), tags.end()});
      continue;
    }
    for (uint32_t tag : tags)
      add({tag});
  }
  return routes;
}

/// Gathers the properties of all ranks.
Expected<std::vector<RankIdentity>> gatherRankIdentities(Communicator &host, Device &device) {
  RankIdentity own{.gpu = cuda::partsOf(device).stream.gpu->properties.uuid};
  if (const Expected<nccl::Nccl> &library = nccl::Nccl::get()) {
    Expected<int> version = library->version();
    if (!version)
      return version.status();
    own.version = *version;
  }
  struct Exchange {
    RankIdentity own;
    std::vector<RankIdentity> all;
    CollectiveCall call = {.kind = abi::ALL_GATHER, .type = abi::I64, .shape = {1, 3}};
  };
  static_assert(sizeof own == 3 * sizeof(int64_t));
  auto exchange = std::make_shared<Exchange>();
  exchange->own = own;
  exchange->all.resize(size_t(host.size()));
  exchange->call.source = &exchange->own;
  exchange->call.destination = exchange->all.data();
  if (Status status = host.runOwned({&exchange->call, 1}, exchange); !status.ok())
    return status;
  return exchange->all;
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
        options.warn(fmt::format("transfers between ranks go through the host, which is slow: {}",
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
