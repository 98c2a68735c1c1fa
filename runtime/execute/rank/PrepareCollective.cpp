// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the instruction's expressions and addresses for the rank. Pairs of a permutation and
// moves of a block exchange become boxes between positions in the group.

#include "runtime/execute/rank/PrepareCollective.h"

#include "runtime/abi/program/RankExpression.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

template <typename Repeated> std::vector<int64_t> listOf(const Repeated &values) {
  return {values.begin(), values.end()};
}

/// Returns the position of a rank in a list, or -1.
int32_t positionOf(const abi::RankList &list, uint32_t rank) {
  auto found = std::find(list.ranks().begin(), list.ranks().end(), rank);
  return found == list.ranks().end() ? -1 : int32_t(found - list.ranks().begin());
}

/// Returns the boxes among the members of the rank's own list. The other lists have their own
/// boxes.
std::vector<Box> boxesOf(const abi::Collective &collective, const abi::RankList &list) {
  std::vector<Box> boxes;
  std::vector<int64_t> zero(collective.shape_size(), 0);
  for (const abi::RankPair &pair : collective.pairs())
    if (int32_t source = positionOf(list, pair.source()); source >= 0)
      boxes.push_back(
          {source, positionOf(list, pair.target()), zero, listOf(collective.shape()), zero});
  for (const abi::BlockMove &move : collective.moves())
    if (int32_t source = positionOf(list, move.source()); source >= 0)
      boxes.push_back({source, positionOf(list, move.target()), listOf(move.source_start()),
                       listOf(move.size()), listOf(move.target_start())});
  return boxes;
}

} // namespace

CollectiveCall prepareCollective(const abi::Collective &collective, const PrepareContext &context) {
  const abi::Mesh &mesh = context.executable.mesh();
  CollectiveCall call;
  call.kind = collective.kind();
  if (call.kind == abi::BARRIER)
    return call;
  call.reduction = collective.reduction();
  call.type = collective.type();
  call.shape = listOf(collective.shape());
  call.targetShape = listOf(collective.target_shape());
  call.axis = collective.axis();
  call.concatAxis = collective.concat_axis();
  call.tag = collective.tag();
  call.fused = collective.fused();
  if (call.kind != abi::RECV)
    call.source = context.memory.address(context.program, collective.source());
  if (call.kind != abi::SEND)
    call.destination = context.memory.address(context.program, collective.destination());
  if (isPointToPoint(call.kind)) {
    call.root = int32_t(std::max<int64_t>(-1, evaluate(collective.peer(), mesh, context.rank)));
    return call;
  }
  if (call.kind == abi::BROADCAST || call.kind == abi::REDUCE)
    call.root = int32_t(evaluate(collective.root(), mesh, context.rank));
  const abi::RankGroups &group = context.executable.groups(int(collective.group()));
  call.boxes = boxesOf(collective, abi::groupOf(group, context.rank));
  call.reduceBoxes =
      call.kind == abi::BLOCK_EXCHANGE && collective.reduction() != abi::REDUCE_OP_UNSPECIFIED;
  return call;
}

bool writes(const CollectiveCall &call, const std::byte *begin, int64_t bytes, int members) {
  auto *destination = static_cast<const std::byte *>(call.destination);
  return begin < destination + destinationBytes(call, members) && destination < begin + bytes;
}

} // namespace pcc::runtime
