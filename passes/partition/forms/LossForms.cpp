// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of losses that are sums or means over samples. A rank's part is the sum over its own
// samples and its own classes; a sample's label is one class. A mean is divided by the number of
// samples on all ranks. The result is a partial sum of one number.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/decompose/LossDecomposition.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using pcc::analysis::LocalFormOpInterface;
using pcc::dist::AxisList;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

/// A mean over equal blocks is the mean of the blocks' means.
template <typename Op>
struct ElementLossForm : LocalFormOpInterface::ExternalModel<ElementLossForm<Op>, Op> {
  bool canSplitWhole(Operation *, unsigned) const { return false; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    AxisList axes = analysis::getOperandSharding(op, 0).getSplitAxes();
    if (axes.empty() || cast<Op>(op).getReduction() == graph::LossReduction::Sum)
      return {};
    Value mean = cloneOn(builder, op, operands, types)->getResult(0);
    return {scale(builder, op->getLoc(), mean,
                  1.0 / static_cast<double>(dist::getMesh(op).getSize(axes)))};
  }
};

/// Returns the number of samples that are not ignored, on the ranks along `axes`; a scalar
/// of the type of sums.
Value countSamples(graph::DecompositionBuilder &pieces, graph::NllOp op, Value labels,
                   const AxisList &axes) {
  Type wide = graph::accumulatorOf(op.getLogProbabilities().getType().getElementType());
  auto scalar = RankedTensorType::get({}, wide);
  auto type = cast<RankedTensorType>(labels.getType());
  if (!op.getIgnoreIndex())
    return pieces.make<graph::ConstantOp>(
        scalar, static_cast<double>(type.getNumElements() * dist::getMesh(op).getSize(axes)));
  Value kept = graph::buildCountedMask(labels, *op.getIgnoreIndex(), pieces);
  Value ones = pieces.castTo(kept, wide);
  return allReduce(pieces, op.getLoc(), ReduceKind::Sum,
                   graph::reduceAll(graph::ReduceOpKind::Sum, ones, pieces), axes);
}

/// Returns `labels` relative to this rank's block of the classes. Ignored samples get -1, which is
/// no class.
Value localLabels(graph::DecompositionBuilder &pieces, graph::NllOp op, Value labels,
                  int64_t classes, const AxisList &axes) {
  Value relative =
      axes.empty() ? labels
                   : makeRelative(pieces, op.getLoc(), labels, axes, classes, dist::getMesh(op));
  if (!op.getIgnoreIndex())
    return relative;
  Value kept = graph::buildCountedMask(labels, *op.getIgnoreIndex(), pieces);
  return pieces.make<graph::SelectOp>(kept, relative, pieces.splat(relative, -1.0));
}

struct NllForm : LocalFormOpInterface::ExternalModel<NllForm, graph::NllOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return true; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    auto nll = cast<graph::NllOp>(op);
    dist::Sharding sharding = analysis::getOperandSharding(op, 0);
    AxisList classAxes = sharding.getDims().back(), sampleAxes;
    for (const AxisList &axes : sharding.getDims().drop_back())
      sampleAxes.append(axes);
    bool isMean = nll.getReduction() == graph::LossReduction::Mean;
    if (classAxes.empty() && (sampleAxes.empty() || !isMean))
      return {};
    graph::DecompositionBuilder pieces(op->getLoc(), builder);
    int64_t classes = cast<RankedTensorType>(operands[0].getType()).getShape().back();
    Value labels = localLabels(pieces, nll, operands[1], classes, classAxes);
    Value sum =
        pieces.make<graph::NllOp>(operands[0], labels, graph::LossReduction::Sum, IntegerAttr());
    if (!isMean)
      return {sum};
    Type element = cast<RankedTensorType>(types.front()).getElementType();
    Value wide = pieces.castTo(sum, graph::accumulatorOf(element));
    Value count = countSamples(pieces, nll, operands[1], sampleAxes);
    return {pieces.castTo(pieces.make<graph::DivOp>(wide, count), element)};
  }
};

} // namespace

void attachLossForms(MLIRContext *context) {
  graph::NllOp::attachInterface<NllForm>(*context);
  graph::MseOp::attachInterface<ElementLossForm<graph::MseOp>>(*context);
  graph::SigmoidCrossEntropyOp::attachInterface<ElementLossForm<graph::SigmoidCrossEntropyOp>>(
      *context);
}

} // namespace pcc::partition
