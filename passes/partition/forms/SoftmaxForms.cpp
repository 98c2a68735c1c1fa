// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of softmax, its logarithm and its cross entropy. If the classes (a vocabulary) are
// split, each rank reduces its own classes. Two small all-reduces join the maxima and the sums of
// powers:
//
//   m = all_reduce max (max x)    s = all_reduce sum (Σ exp(x - m))    softmax = exp(x - m) / s
//
// This moves two numbers per sample, while gathering the classes would move all of them. Source:
// Megatron-LM, Shoeybi et al. 2019, section 3.
#include "passes/partition/forms/LocalForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/decompose/LossDecomposition.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using namespace pcc;
using pcc::analysis::LocalFormOpInterface;
using pcc::dist::AxisList;
using pcc::dist::Sharding;
using pcc::graph::ReduceOpKind;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

Value joinBlocks(graph::DecompositionBuilder &builder, ReduceOpKind kind, Value block,
                 const AxisList &axes) {
  ReduceKind joined = kind == ReduceOpKind::Max ? ReduceKind::Max : ReduceKind::Sum;
  return allReduce(builder, builder.getLoc(), joined, block, axes);
}

/// Softmax or its logarithm; `build` emits the op's decomposition.
template <typename Op,
          Value (*build)(Value, int64_t, graph::DecompositionBuilder &, graph::JoinBlocks)>
struct SoftmaxForm : LocalFormOpInterface::ExternalModel<SoftmaxForm<Op, build>, Op> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange) const {
    int64_t axis = cast<Op>(op).getAxis();
    AxisList axes = analysis::getOperandSharding(op, 0).getDim(axis);
    if (axes.empty())
      return {};
    graph::DecompositionBuilder pieces(op->getLoc(), builder);
    return {build(operands[0], axis, pieces, [&](ReduceOpKind kind, Value block) {
      return joinBlocks(pieces, kind, block, axes);
    })};
  }
};

/// Builds the loss of one rank's samples: a partial sum if samples are split.
class CrossEntropyBuilder {
public:
  CrossEntropyBuilder(graph::SoftmaxCrossEntropyOp op, const OpBuilder &builder,
                      ValueRange operands)
      : op(op), logits(operands[0]), labels(operands[1]), mesh(dist::getMesh(op)),
        pieces(op.getLoc(), builder) {
    Sharding sharding = analysis::getOperandSharding(op, 0);
    classAxes = sharding.getDims().back();
    for (const AxisList &axes : sharding.getDims().drop_back())
      sampleAxes.append(axes);
  }

  bool splitsNothing() { return classAxes.empty() && (sampleAxes.empty() || !isMean()); }

  Value build(RankedTensorType scalar) {
    if (classAxes.empty() && !op.getIgnoreIndex()) {
      double shards = static_cast<double>(mesh.getSize(sampleAxes));
      return scale(pieces, op.getLoc(), cloneWhole().getLoss(), 1.0 / shards);
    }
    Value kept = op.getIgnoreIndex() ? graph::buildCountedMask(labels, *op.getIgnoreIndex(), pieces)
                                     : Value();
    Value sum = classAxes.empty() ? sumWhole() : sumLosses(kept);
    if (!isMean())
      return sum;
    // Computed in f32 or wider, because narrower floats stop counting early.
    sum = pieces.castTo(sum, wide);
    Value mean = pieces.make<graph::DivOp>(sum, countSamples(sum, kept));
    return pieces.castTo(mean, scalar.getElementType());
  }

private:
  bool isMean() { return op.getReduction() == graph::LossReduction::Mean; }

  /// Clones the op on this rank's samples, whose classes are whole.
  graph::SoftmaxCrossEntropyOp cloneWhole() {
    Type scalar = op.getLoss().getType();
    return cast<graph::SoftmaxCrossEntropyOp>(cloneOn(pieces, op, {logits, labels}, scalar));
  }

  Value sumWhole() {
    graph::SoftmaxCrossEntropyOp blocks = cloneWhole();
    blocks.setReduction(graph::LossReduction::Sum);
    return blocks.getLoss();
  }

  /// Sums the losses of this rank's samples, or of those in `kept` if it is given.
  Value sumLosses(Value kept) {
    Value losses = makeLosses();
    if (kept)
      losses = graph::maskLosses(losses, kept, pieces);
    return sumAll(isMean() ? pieces.castTo(losses, wide) : losses);
  }

  /// Returns one loss per sample, the same on all ranks that share the sample.
  Value makeLosses() {
    return graph::buildSampleLosses(
        logits, makeWeights(), pieces,
        [&](ReduceOpKind kind, Value block) { return joinBlocks(pieces, kind, block, classAxes); });
  }

  Value sumAll(Value value) { return graph::reduceAll(ReduceOpKind::Sum, value, pieces); }

  /// Returns the labels as one weight for each of this rank's classes.
  Value makeWeights() {
    auto type = cast<RankedTensorType>(logits.getType());
    if (isa<FloatType>(cast<RankedTensorType>(labels.getType()).getElementType()))
      return labels;
    int64_t classes = type.getShape().back();
    Value indices = labels;
    if (!classAxes.empty())
      indices = makeRelative(pieces, op.getLoc(), labels, classAxes, classes, mesh);
    return pieces.make<graph::OneHotOp>(type, indices, type.getRank() - 1);
  }

  /// Returns the number of samples on all ranks, or of those in `kept` if it is given.
  Value countSamples(Value like, Value kept) {
    if (kept)
      return allReduce(pieces, op.getLoc(), ReduceKind::Sum, sumAll(pieces.castTo(kept, wide)),
                       sampleAxes);
    auto samples = cast<RankedTensorType>(logits.getType()).getShape().drop_back();
    return pieces.splat(like,
                        static_cast<double>(llvm::product_of(samples) * mesh.getSize(sampleAxes)));
  }

  graph::SoftmaxCrossEntropyOp op;
  Value logits, labels;
  dist::Mesh mesh;
  graph::DecompositionBuilder pieces;
  AxisList classAxes, sampleAxes;
  Type wide = graph::accumulatorOf(op.getLogits().getType().getElementType()); ///< of sums
};

struct CrossEntropyForm
    : LocalFormOpInterface::ExternalModel<CrossEntropyForm, graph::SoftmaxCrossEntropyOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange types) const {
    CrossEntropyBuilder form(cast<graph::SoftmaxCrossEntropyOp>(op), builder, operands);
    if (form.splitsNothing())
      return {};
    return {form.build(cast<RankedTensorType>(types.front()))};
  }
};

} // namespace

void attachSoftmaxForms(MLIRContext *context) {
  graph::SoftmaxOp::attachInterface<SoftmaxForm<graph::SoftmaxOp, graph::buildSoftmax>>(*context);
  graph::LogSoftmaxOp::attachInterface<SoftmaxForm<graph::LogSoftmaxOp, graph::buildLogSoftmax>>(
      *context);
  graph::SoftmaxCrossEntropyOp::attachInterface<CrossEntropyForm>(*context);
}

} // namespace pcc::partition
