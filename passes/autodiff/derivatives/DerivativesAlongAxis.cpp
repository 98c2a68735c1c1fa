// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of ops that read the elements along one axis in order.
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// Gives each chosen element the gradient of its place. The places form a dimension of their own
/// before the axis. The sum over this dimension has at most one term.
static void differentiateTopK(Backward &b) {
  if (!b.gradient(0))
    return;
  auto op = b.op<TopKOp>();
  int64_t axis = op.getAxis();
  SmallVector<int64_t> shape(shapeOf(b.gradient(0)));
  shape.insert(shape.begin() + axis + 1, shapeOf(op.getInput())[axis]);
  Value gradient = b.unreduce(b.gradient(0), axis + 1, shape);
  Value chosen = b.unreduce(op.getIndices(), axis + 1, shape);
  Value number = b.make<IotaOp>(chosen.getType(), axis + 1);
  Value given = b.where(b.compare(Direction::EQ, number, chosen), gradient);
  b.setGradient(0, b.make<ReduceOp>(ReduceOpKind::Sum, given, axis));
}

/// Element i is in the sums after it, so its gradient sums the gradients from the other end.
static void differentiateCumsum(Backward &b) {
  auto op = b.op<CumsumOp>();
  b.setGradient(0,
                b.make<CumsumOp>(b.gradient(), op.getAxis(), op.getExclusive(), !op.getReverse()));
}

void addAlongAxisDerivatives(DerivativeTable &table) {
  table.rule<TopKOp>(differentiateTopK);
  table.rule<CumsumOp>(differentiateCumsum);
  table.zero<ArgmaxOp, ArgminOp>("the number of an element");
}

} // namespace pcc::autodiff
