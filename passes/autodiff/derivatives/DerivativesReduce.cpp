// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of reductions.
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// Repeats `value`, which has the shape of the reduction's result, to the shape of its input.
static Value unreduce(Backward &b, ReduceOp op, Value value) {
  return b.unreduce(value, op.getDims(), shapeOf(op.getInput()));
}

/// Returns the number of elements that one element of the result combines.
static double reducedCount(ReduceOp op) {
  double count = 1;
  for (int64_t dim : op.getDims())
    count *= shapeOf(op.getInput())[dim];
  return count;
}

/// Gives the gradient to the first element that equals the result.
static void differentiateFirstExtremum(Backward &b, ReduceOp op) {
  Value x = op.getInput();
  int64_t axis = op.getDims().front();
  Value first = op.getKind() == ReduceOpKind::Max ? b.make<ArgmaxOp>(x, axis, /*last=*/false)
                                                  : b.make<ArgminOp>(x, axis, /*last=*/false);
  Type places = i64TensorLike(x.getType());
  Value isFirst = b.compare(Direction::EQ, b.make<IotaOp>(places, axis), unreduce(b, op, first));
  b.setGradient(0, b.where(isFirst, unreduce(b, op, b.gradient())));
}

/// max and min: the elements that equal the result share the gradient evenly. It thus depends
/// neither on their order nor on how the dimension is split.
static void differentiateExtremum(Backward &b, ReduceOp op) {
  if (op.getFirstWins())
    return differentiateFirstExtremum(b, op);
  Value hit = b.compare(Direction::EQ, op.getInput(), unreduce(b, op, op.getResult()));
  Value ones = b.castTo(hit, getElementTypeOrSelf(op.getResult().getType()));
  Value hits = b.make<ReduceOp>(ReduceOpKind::Sum, ones, op.getDims());
  b.setGradient(0, b.where(hit, unreduce(b, op, b.div(b.gradient(), hits))));
}

/// Multiplies by the product of the other elements. Result over element fails at zeros. Let p be
/// the product of the elements that are not zero. The factor is p / x if no other element is zero
/// (x = 1 stands in for a zero), else 0.
static void differentiateProduct(Backward &b, ReduceOp op) {
  Value x = op.getInput();
  Type elementType = getElementTypeOrSelf(x.getType());
  Value isZero = b.compare(Direction::EQ, x, 0);
  Value zeros = b.castTo(isZero, elementType);
  Value nonZero = b.select(isZero, b.like(x, 1), x);
  Value product = b.make<ReduceOp>(ReduceOpKind::Prod, nonZero, op.getDims());
  Value allZeros = b.make<ReduceOp>(ReduceOpKind::Sum, zeros, op.getDims());
  Value otherZeros = b.sub(unreduce(b, op, allZeros), zeros);
  Value others = b.div(unreduce(b, op, b.mul(b.gradient(), product)), nonZero);
  b.setGradient(0, b.where(b.compare(Direction::EQ, otherZeros, 0), others));
}

static void differentiateReduce(Backward &b) {
  auto op = b.op<ReduceOp>();
  switch (op.getKind()) {
  case ReduceOpKind::Sum:
    return b.setGradient(0, unreduce(b, op, b.gradient()));
  case ReduceOpKind::Mean:
    return b.setGradient(0, unreduce(b, op, b.mul(b.gradient(), 1 / reducedCount(op))));
  case ReduceOpKind::Max:
  case ReduceOpKind::Min:
    return differentiateExtremum(b, op);
  case ReduceOpKind::Prod:
    return differentiateProduct(b, op);
  }
}

void addReduceDerivatives(DerivativeTable &table) { table.rule<ReduceOp>(differentiateReduce); }

} // namespace pcc::autodiff
