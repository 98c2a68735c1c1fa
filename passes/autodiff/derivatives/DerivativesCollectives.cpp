// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of collectives. Each rank differentiates the sum of the losses of all ranks. The
// gradient of a value is thus its effect on every rank's loss: if a collective hands a value to
// other ranks, its derivative brings their gradients back. All ranks run the same program, so all
// of them reach the backward collectives in the same order. Megatron-LM's convention is another
// one: all ranks share one loss, so the derivative of an all-reduce is the identity.
#include "passes/autodiff/derivatives/Derivatives.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/Group.h"

using namespace mlir;
using namespace pcc::dist;
using pcc::graph::Direction;

namespace pcc::autodiff {

/// Returns the sum of `value` over the ranks of the op's group.
template <typename OpT> static Value sumOver(Backward &b, OpT op, Value value) {
  return b.make<AllReduceOp>(ReduceKind::Sum, value, op.getGroupAttr());
}

/// Sets the gradient of operand 0, which `kind` combines with the operands of other ranks. `result`
/// is the combined value on every rank; it is read only for max and min. `spread` is the adjoint of
/// handing out the result: the sum over the group if every rank has the result, the broadcast from
/// the root if only the root has it. Each rank that attains a maximum or minimum gets the whole
/// gradient. The derivative of a product holds only if no factor is zero.
template <typename Spread>
static void differentiateReduction(Backward &b, ReduceKind kind, Value result, Spread spread) {
  Value x = b.operand();
  switch (kind) {
  case ReduceKind::Sum:
    return b.setGradient(0, spread(b.gradient()));
  case ReduceKind::Max:
  case ReduceKind::Min:
    return b.setGradient(0, b.where(b.compare(Direction::EQ, x, result), spread(b.gradient())));
  case ReduceKind::Prod:
    return b.setGradient(0, b.div(spread(b.mul(b.gradient(), b.result())), x));
  }
}

static void differentiateAllReduce(Backward &b) {
  auto op = b.op<AllReduceOp>();
  differentiateReduction(b, op.getKind(), op.getResult(),
                         [&](Value v) { return sumOver(b, op, v); });
}

/// Only the root's result depends on the inputs, so only its gradient counts: the other ranks get
/// zeros from `dist.reduce`.
static void differentiateReduce(Backward &b) {
  auto op = b.op<dist::ReduceOp>();
  auto fromRoot = [&](Value v) {
    return b.make<dist::BroadcastOp>(v, op.getRoot(), op.getGroupAttr());
  };
  bool compares = op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min;
  differentiateReduction(b, op.getKind(), compares ? fromRoot(op.getResult()) : Value(), fromRoot);
}

static void differentiateAllGather(Backward &b) {
  auto op = b.op<AllGatherOp>();
  b.setGradient(0, b.make<ReduceScatterOp>(op.getInput().getType(), ReduceKind::Sum, b.gradient(),
                                           op.getAxis(), op.getGroupAttr()));
}

static void differentiateReduceScatter(Backward &b) {
  auto op = b.op<ReduceScatterOp>();
  b.setGradient(0, b.make<AllGatherOp>(op.getInput().getType(), b.gradient(), op.getAxis(),
                                       op.getGroupAttr()));
}

/// Other kinds would need every rank's part of the result.
static StringRef unsupportedReduceScatter(Operation *op) {
  return cast<ReduceScatterOp>(op).getKind() == ReduceKind::Sum ? "" : "implemented only for sums";
}

static void differentiateBroadcast(Backward &b) {
  auto op = b.op<dist::BroadcastOp>();
  b.setGradient(
      0, b.make<dist::ReduceOp>(ReduceKind::Sum, b.gradient(), op.getRoot(), op.getGroupAttr()));
}

static void differentiateAllToAll(Backward &b) {
  auto op = b.op<AllToAllOp>();
  b.setGradient(0, b.make<AllToAllOp>(op.getInput().getType(), b.gradient(), op.getConcatAxis(),
                                      op.getSplitAxis(), op.getGroupAttr()));
}

/// The copies are one value: its gradient is the sum of the copies' gradients, or their mean.
static void differentiateMirror(Backward &b) {
  auto op = b.op<MirrorOp>();
  Value sum = sumOver(b, op, b.gradient());
  if (op.getMean())
    sum = b.mul(sum, 1.0 / double(*getCommonGroupSize(op.getGroupAttr(), getMesh(op))));
  b.setGradient(0, sum);
}

void addCollectiveDerivatives(DerivativeTable &table) {
  table.rule<AllReduceOp>(differentiateAllReduce);
  table.rule<dist::ReduceOp>(differentiateReduce);
  table.rule<AllGatherOp>(differentiateAllGather);
  table.rule<ReduceScatterOp>(differentiateReduceScatter, unsupportedReduceScatter);
  table.rule<dist::BroadcastOp>(differentiateBroadcast);
  table.rule<AllToAllOp>(differentiateAllToAll);
  table.rule<MirrorOp>(differentiateMirror);
  table.zero<RankOp, GroupSizeOp>("rank ids and group sizes are constants");
  table.none<ReshardOp, ToLocalOp, ToGlobalOp>("reshards are inserted after differentiation");
}

} // namespace pcc::autodiff
