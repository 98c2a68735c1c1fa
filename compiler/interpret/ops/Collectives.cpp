// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives: join the rendezvous of the group, then compute from its members' contributions.

#include "compiler/interpret/ops/Groups.h"
#include "compiler/interpret/rank/Blocks.h"
#include "compiler/values/Compute.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/dist/Dist.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Returns the first tensor of each member, in group order.
llvm::SmallVector<Tensor> firstContributions(const Rendezvous &point) {
  return llvm::map_to_vector(point.contributions,
                             [](const Contribution &contribution) { return contribution[0]; });
}

/// Returns block number `block` of `count` along `axis`.
Tensor blockOf(const Tensor &x, int64_t axis, int64_t block, int64_t count) {
  llvm::SmallVector<int64_t, 4> shape(x.getShape()), offset(x.getRank(), 0);
  shape[axis] /= count;
  offset[axis] = block * shape[axis];
  return extractBox(x, offset, shape);
}

LogicalResult allReduce(dist::AllReduceOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call, stringify(op.getKind()));
  if (failed(group))
    return failure();
  call.results.push_back(
      group->point->once([&] { return combine(op.getKind(), firstContributions(*group->point)); }));
  return success();
}

LogicalResult allGather(dist::AllGatherOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call);
  if (failed(group))
    return failure();
  call.results.push_back(group->point->once(
      [&] { return concatenate(firstContributions(*group->point), op.getAxis()); }));
  return success();
}

LogicalResult reduceScatter(dist::ReduceScatterOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call, stringify(op.getKind()));
  if (failed(group))
    return failure();
  const Tensor &reduced =
      group->point->once([&] { return combine(op.getKind(), firstContributions(*group->point)); });
  call.results.push_back(blockOf(reduced, op.getAxis(), group->position, group->members.size()));
  return success();
}

LogicalResult broadcast(dist::BroadcastOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call, "from " + std::to_string(op.getRoot()));
  if (failed(group))
    return failure();
  call.results.push_back(group->point->contributions[op.getRoot()][0]);
  return success();
}

LogicalResult reduce(dist::ReduceOp op, OpCall &call) {
  FailureOr<JoinedGroup> group =
      joinGroup(op, call, stringify(op.getKind()).str() + " to " + std::to_string(op.getRoot()));
  if (failed(group))
    return failure();
  if (group->position == static_cast<int64_t>(op.getRoot()))
    call.results.push_back(combine(op.getKind(), firstContributions(*group->point)));
  else
    call.results.push_back(zerosOf(cast<RankedTensorType>(op.getType())));
  return success();
}

LogicalResult allToAll(dist::AllToAllOp op, OpCall &call) {
  FailureOr<JoinedGroup> group = joinGroup(op, call);
  if (failed(group))
    return failure();
  llvm::SmallVector<Tensor> received;
  for (const Tensor &sent : firstContributions(*group->point))
    received.push_back(blockOf(sent, op.getSplitAxis(), group->position, group->members.size()));
  call.results.push_back(concatenate(received, op.getConcatAxis()));
  return success();
}

LogicalResult barrier(dist::BarrierOp op, OpCall &call) {
  return success(succeeded(joinGroup(op, call)));
}

Tensor scalar(int64_t value) { return Tensor::integers(ElementType::I64, {}, {value}); }

} // namespace

void registerCollectives(Registry &registry) {
  registry.add<dist::AllReduceOp>(allReduce);
  registry.add<dist::AllGatherOp>(allGather);
  registry.add<dist::ReduceScatterOp>(reduceScatter);
  registry.add<dist::BroadcastOp>(broadcast);
  registry.add<dist::ReduceOp>(reduce);
  registry.add<dist::AllToAllOp>(allToAll);
  registry.add<dist::BarrierOp>(barrier);
  registry.add<dist::MirrorOp>([](dist::MirrorOp, OpCall &call) {
    call.results.push_back(call.operands[0]);
    return success();
  });
  registry.add<dist::RankOp>([](dist::RankOp op, OpCall &call) {
    call.results.push_back(scalar(findPosition(op.getGroupAttr(), call.rank).position));
    return success();
  });
  registry.add<dist::GroupSizeOp>([](dist::GroupSizeOp op, OpCall &call) {
    call.results.push_back(scalar(findPosition(op.getGroupAttr(), call.rank).members.size()));
    return success();
  });
}

} // namespace pcc::interpret
