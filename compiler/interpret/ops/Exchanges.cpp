// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between pairs of ranks.

#include "compiler/interpret/ops/Groups.h"
#include "compiler/interpret/rank/Blocks.h"
#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/dist/Neighbors.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

LogicalResult collectivePermute(dist::CollectivePermuteOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call);
  if (failed(group))
    return failure();
  Tensor received = zerosOf(cast<RankedTensorType>(op.getType()));
  for (DenseI64ArrayAttr pair : op.getPairs().getRows())
    if (pair[1] == group->position)
      received = group->point->contributions[pair[0]][0];
  call.results.push_back(received);
  return success();
}

/// Adds a box of `source` to a box of `whole`.
void addBox(Tensor &whole, llvm::ArrayRef<int64_t> offset, const Tensor &source,
            llvm::ArrayRef<int64_t> sourceOffset, llvm::ArrayRef<int64_t> shape) {
  Tensor sum = combine(ReduceKind::Sum,
                       {extractBox(whole, offset, shape), extractBox(source, sourceOffset, shape)});
  llvm::SmallVector<int64_t, 4> start(shape.size(), 0);
  insertBox(whole, offset, sum, start, shape);
}

/// Returns zeros with the boxes of all moves whose target is this rank.
template <typename Moves>
Tensor receiveBoxes(const JoinedGroup &group, RankedTensorType type, const Moves &moves,
                    bool adds) {
  Tensor result = zerosOf(type);
  int64_t rank = result.getRank();
  for (llvm::ArrayRef<int64_t> move : moves) {
    if (move[0] != group.position)
      continue;
    const Tensor &source = group.point->contributions[move[1]][0];
    auto receive = adds ? addBox : insertBox;
    receive(result, move.take_back(rank), source, move.slice(2, rank), move.slice(2 + rank, rank));
  }
  return result;
}

LogicalResult blockExchange(dist::BlockExchangeOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call);
  if (failed(group))
    return failure();
  auto moves = llvm::map_range(op.getBlocks().getRows(),
                               [](DenseI64ArrayAttr row) { return row.asArrayRef(); });
  call.results.push_back(
      receiveBoxes(*group, cast<RankedTensorType>(op.getType()), moves, op.getAdding()));
  return success();
}

LogicalResult neighborExchange(dist::NeighborExchangeOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call);
  if (failed(group))
    return failure();
  llvm::ArrayRef<int64_t> sources = op.getReceive().getRows()[group->position].asArrayRef();
  for (auto [index, source] : llvm::enumerate(sources)) {
    if (std::optional<unsigned> input = dist::findSentInput(op, group->position, index))
      call.results.push_back(group->point->contributions[source][*input]);
    else
      call.results.push_back(zerosOf(cast<RankedTensorType>(op.getResult(index).getType())));
  }
  return success();
}

LogicalResult neighborExchangeV2(dist::NeighborExchangeV2Op op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call);
  if (failed(group))
    return failure();
  call.results.push_back(receiveBoxes(*group, cast<RankedTensorType>(op.getType()),
                                      dist::getMoves(op), /*adds=*/false));
  return success();
}

/// Returns the channel of a transfer; the group is the pair (source, target).
std::string transferChannel(int64_t source, int64_t target, int64_t tag, const std::string &type) {
  return "send from rank " + std::to_string(source) + " to rank " + std::to_string(target) +
         ", tag " + std::to_string(tag) + ", " + type;
}

/// Sends without waiting. The static checker proves, on the instructions, that the order of sends
/// and receives needs no buffer.
LogicalResult send(dist::SendOp op, OpCall &call) {
  int64_t peer = op.getPeers()[call.rank.getPosition()];
  if (peer < 0)
    return success();
  int64_t source = call.rank.getIndex(), target = call.rank.getNeighbor(peer);
  call.rank.send({source, target}, /*position=*/0,
                 transferChannel(source, target, op.getTag(), call.operands[0].typeString()),
                 Contribution(call.operands));
  return success();
}

LogicalResult recv(dist::RecvOp op, OpCall &call) {
  int64_t peer = op.getPeers()[call.rank.getPosition()];
  Tensor result = zerosOf(cast<RankedTensorType>(op.getType()));
  if (peer >= 0) {
    int64_t target = call.rank.getIndex(), source = call.rank.getNeighbor(peer);
    auto point = call.rank.exchange(
        op, {source, target}, /*position=*/1,
        transferChannel(source, target, op.getTag(), result.typeString()), Contribution());
    if (failed(point))
      return failure();
    result = (*point)->contributions[0][0];
  }
  call.results.push_back(result);
  return success();
}

} // namespace

void registerExchanges(Registry &registry) {
  registry.add<dist::CollectivePermuteOp>(collectivePermute);
  registry.add<dist::BlockExchangeOp>(blockExchange);
  registry.add<dist::NeighborExchangeOp>(neighborExchange);
  registry.add<dist::NeighborExchangeV2Op>(neighborExchangeV2);
  registry.add<dist::SendOp>(send);
  registry.add<dist::RecvOp>(recv);
}

} // namespace pcc::interpret
