// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of normalizations by mean and variance, split where their statistics are taken.
// Blocks are equal, so with n elements in all
//
//   mean = all_reduce sum (Σ x) / n    variance = all_reduce sum (Σ (x - mean)²) / n
//
// on every rank: two all-reduces of one number for each mean (root mean square: only the second
// one). The deviations are taken from the mean of all ranks. Sums of x and x² would need only one
// all-reduce. But their difference has no correct digit left if the mean is much larger than the
// deviations.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/decompose/NormDecomposition.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using pcc::analysis::LocalFormOpInterface;
using pcc::dist::AxisList;
using pcc::graph::DecompositionBuilder;
using pcc::graph::NormSpan;

namespace pcc::partition {
namespace {

NormSpan spanOf(graph::LayerNormOp op) {
  return NormSpan::from(op.getAxis(), op.getInput().getType().getRank());
}
NormSpan spanOf(graph::RmsNormOp op) {
  return NormSpan::from(op.getAxis(), op.getInput().getType().getRank());
}
NormSpan spanOf(graph::BatchNormOp op) {
  return NormSpan::ofChannels(op.getInput().getType().getRank());
}

/// `build` emits the decomposition of `Op`.
template <typename Op,
          graph::Decomposition (*build)(Op, ValueRange, const NormSpan &, DecompositionBuilder &)>
struct NormalizationForm : LocalFormOpInterface::ExternalModel<NormalizationForm<Op, build>, Op> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  SmallVector<Value> buildLocal(Operation *op, OpBuilder &builder, ValueRange operands,
                                TypeRange) const {
    NormSpan span = spanOf(cast<Op>(op));
    AxisList axes;
    for (int64_t dim : span.dims)
      axes.append(analysis::getOperandSharding(op, 0).getDim(dim));
    if (axes.empty())
      return {};
    DecompositionBuilder pieces(op->getLoc(), builder);
    auto joinSums = [&](Value sum) {
      return allReduce(pieces, op->getLoc(), ReduceKind::Sum, sum, axes);
    };
    span.blocks = dist::getMesh(op).getSize(axes);
    span.joinSums = joinSums;
    return build(cast<Op>(op), operands, span, pieces);
  }
};

} // namespace

void attachNormalizationForms(MLIRContext *context) {
  using namespace graph;
  LayerNormOp::attachInterface<NormalizationForm<LayerNormOp, buildLayerNorm>>(*context);
  RmsNormOp::attachInterface<NormalizationForm<RmsNormOp, buildRmsNorm>>(*context);
  BatchNormOp::attachInterface<NormalizationForm<BatchNormOp, buildBatchNorm>>(*context);
}

} // namespace pcc::partition
