// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the bytes and messages of one group member from the types of the op. Block exchanges are
// counted from their table, by the busiest receiver. Seconds come from runtime/machine.
#include "passes/analysis/cost/CollectiveCost.h"

#include "dialects/dist/Group.h"
#include "passes/analysis/cost/Cost.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::analysis {
namespace {

/// Returns the maximum traffic that a member receives from other members.
machine::Traffic countBlocks(dist::BlockExchangeOp op) {
  int64_t rank = op.getInput().getType().getRank();
  int64_t elementBytes = getElementBytes(op.getInput().getType());
  llvm::MapVector<int64_t, machine::Traffic> byTarget;
  for (ArrayRef<int64_t> row : op.getBlocks().getRows()) {
    if (row[0] == row[1])
      continue;
    auto [it, isNew] = byTarget.try_emplace(row[0], machine::Traffic{abi::BLOCK_EXCHANGE, 0, 0});
    it->second.bytes +=
        static_cast<double>(llvm::product_of(row.slice(2 + rank, rank)) * elementBytes);
    ++it->second.messages;
  }
  machine::Traffic largest{abi::BLOCK_EXCHANGE, 0, 1};
  for (const auto &[target, traffic] : byTarget) {
    largest.bytes = std::max(largest.bytes, traffic.bytes);
    largest.messages = std::max(largest.messages, traffic.messages);
  }
  return largest;
}

/// Counts borders and neighbors' tensors as if all came over the slowest link of the group.
machine::Traffic countExchanged(Operation *op) {
  machine::Traffic traffic{abi::BLOCK_EXCHANGE, 0, std::max<int64_t>(op->getNumResults(), 1)};
  for (Type type : op->getResultTypes())
    traffic.bytes += static_cast<double>(getNumBytes(type));
  return traffic;
}

abi::CollectiveKind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, abi::CollectiveKind>(op)
      .Case([](dist::AllReduceOp) { return abi::ALL_REDUCE; })
      .Case([](dist::AllGatherOp) { return abi::ALL_GATHER; })
      .Case([](dist::ReduceScatterOp) { return abi::REDUCE_SCATTER; })
      .Case([](dist::AllToAllOp) { return abi::ALL_TO_ALL; })
      .Case([](dist::BroadcastOp) { return abi::BROADCAST; })
      .Case([](dist::ReduceOp) { return abi::REDUCE; })
      .Case([](dist::CollectivePermuteOp) { return abi::COLLECTIVE_PERMUTE; })
      .Case([](dist::SendOp) { return abi::SEND; })
      .Case([](dist::RecvOp) { return abi::RECV; })
      .Case([](dist::BarrierOp) { return abi::BARRIER; })
      .Default([](Operation *) { return abi::BLOCK_EXCHANGE; });
}

} // namespace

machine::Traffic trafficOf(Operation *op) {
  if (auto exchange = dyn_cast<dist::BlockExchangeOp>(op))
    return countBlocks(exchange);
  abi::CollectiveKind kind = kindOf(op);
  if (kind == abi::BLOCK_EXCHANGE)
    return countExchanged(op);
  if (kind == abi::BARRIER)
    return {kind, 0};
  bool isOfResult = kind == abi::ALL_GATHER || kind == abi::RECV;
  Type type = isOfResult ? op->getResult(0).getType() : op->getOperand(0).getType();
  return {kind, static_cast<double>(getNumBytes(type))};
}

machine::GroupLayout groupOf(Operation *op, const dist::Mesh &mesh, const abi::Cluster &cluster) {
  auto collective = dyn_cast<dist::CollectiveOpInterface>(op);
  dist::GroupAttr attr = collective ? collective.getGroupAttr() : dist::GroupAttr();
  if (!attr || attr.getRanks().empty())
    return makeGroup(dist::getGroupAxes(attr, mesh), mesh, cluster);
  machine::GroupLayout largest;
  for (const dist::RankList &ranks : dist::getGroups(attr, mesh))
    if (machine::GroupLayout group =
            machine::GroupLayout::of({ranks.data(), ranks.size()}, cluster);
        group.size > largest.size)
      largest = group;
  return largest;
}

double secondsOfCollective(ArrayRef<Operation *> ops, const dist::Mesh &mesh,
                           const abi::Cluster &cluster) {
  machine::Traffic traffic = trafficOf(ops.front());
  for (Operation *op : ops.drop_front())
    traffic.bytes += trafficOf(op).bytes;
  return machine::estimateCollectiveCost(cluster, groupOf(ops.front(), mesh, cluster), traffic)
      .seconds;
}

double secondsOfCollective(Operation *op, double bytes, const dist::Mesh &mesh,
                           const abi::Cluster &cluster) {
  machine::Traffic traffic = trafficOf(op);
  traffic.bytes = bytes;
  return machine::estimateCollectiveCost(cluster, groupOf(op, mesh, cluster), traffic).seconds;
}

} // namespace pcc::analysis
