// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives bytes from shapes, and groups from rank lists or from the peer of every rank. A cost is
// estimated once per location, not once per group.

#include "runtime/machine/CollectiveTraffic.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/RankExpression.h"

#include <algorithm>
#include <map>
#include <set>

namespace pcc::machine {
namespace {

using abi::Collective;

int64_t countBytes(const Collective &collective) {
  return abi::elementCount(collective.shape()).value_or(0) *
         static_cast<int64_t>(abi::elementBytes(collective.type()));
}

std::vector<std::vector<int64_t>> listGroups(const abi::Executable &program,
                                             const Collective &collective) {
  std::vector<std::vector<int64_t>> groups;
  if (collective.kind() != abi::SEND && collective.kind() != abi::RECV) {
    for (const abi::RankList &list : program.groups(collective.group()).lists())
      groups.emplace_back(list.ranks().begin(), list.ranks().end());
    return groups;
  }
  for (int64_t rank = 0; rank < abi::rankCount(program.mesh()); ++rank)
    if (int64_t peer = abi::evaluate(collective.peer(), program.mesh(), rank); peer >= 0)
      groups.push_back({rank, peer});
  return groups;
}

/// Returns the most bytes that the boxes of a block exchange bring to a rank, and the most ranks
/// from which a rank receives.
Traffic countMoves(const Collective &collective) {
  int64_t elementBytes = static_cast<int64_t>(abi::elementBytes(collective.type()));
  std::map<uint32_t, int64_t> received;
  std::map<uint32_t, std::set<uint32_t>> senders;
  for (const abi::BlockMove &move : collective.moves()) {
    if (move.source() == move.target())
      continue;
    received[move.target()] += abi::elementCount(move.size()).value_or(0) * elementBytes;
    senders[move.target()].insert(move.source());
  }
  Traffic traffic{.kind = abi::BLOCK_EXCHANGE};
  for (const auto &[rank, bytes] : received)
    traffic.bytes = std::max(traffic.bytes, static_cast<double>(bytes));
  for (const auto &[rank, others] : senders)
    traffic.messages = std::max(traffic.messages, static_cast<int64_t>(others.size()));
  return traffic;
}

/// Evaluates the header's table for operands of `bytes` in groups of `n`.
int64_t countReceived(abi::CollectiveKind kind, int64_t bytes, int64_t n) {
  switch (kind) {
  case abi::ALL_REDUCE:
    return 2 * (n - 1) * bytes / n;
  case abi::REDUCE_SCATTER:
  case abi::ALL_TO_ALL:
    return (n - 1) * bytes / n;
  case abi::ALL_GATHER:
    return (n - 1) * bytes;
  case abi::BROADCAST:
  case abi::REDUCE:
  case abi::COLLECTIVE_PERMUTE:
  case abi::RECV:
    return n > 1 ? bytes : 0;
  default:
    return 0;
  }
}

} // namespace

Traffic trafficOf(const Collective &collective, int64_t members) {
  if (collective.kind() == abi::BLOCK_EXCHANGE)
    return countMoves(collective);
  int64_t bytes = countBytes(collective);
  return {.kind = collective.kind(),
          .bytes =
              static_cast<double>(collective.kind() == abi::ALL_GATHER ? members * bytes : bytes)};
}

Traffic trafficOfFused(std::span<const abi::Instruction *const> instructions, int64_t members) {
  Traffic traffic = trafficOf(instructions.front()->collective(), members);
  for (const abi::Instruction *instruction : instructions.subspan(1)) {
    if (!instruction->collective().fused())
      break;
    traffic.bytes += trafficOf(instruction->collective(), members).bytes;
  }
  return traffic;
}

CollectiveTraffic readTraffic(const abi::Executable &program, const Collective &collective) {
  CollectiveTraffic result;
  result.groups = listGroups(program, collective);
  size_t largest = 1;
  for (const std::vector<int64_t> &group : result.groups)
    largest = std::max(largest, group.size());
  int64_t n = static_cast<int64_t>(largest);
  result.traffic = trafficOf(collective, n);
  result.received = collective.kind() == abi::BLOCK_EXCHANGE
                        ? static_cast<int64_t>(result.traffic.bytes)
                        : countReceived(collective.kind(), countBytes(collective), n);
  return result;
}

double estimateTrafficCost(const abi::Cluster &cluster, const CollectiveTraffic &traffic) {
  std::set<std::vector<int64_t>> costed; // groups at equal locations cost the same
  double slowest = 0;
  for (const std::vector<int64_t> &ranks : traffic.groups) {
    GroupLayout group = GroupLayout::of(ranks, cluster);
    if (costed.insert(group.members).second)
      slowest = std::max(slowest, estimateCollectiveCost(cluster, group, traffic.traffic).seconds);
  }
  return slowest;
}

} // namespace pcc::machine
