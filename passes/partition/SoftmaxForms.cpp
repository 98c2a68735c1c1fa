// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/partition/SoftmaxForms.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/PieceBuilder.h"
#include "passes/facts/LocalForm.h"
#include "passes/facts/Shardings.h"
#include "passes/partition/LocalValues.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;
using pcc::facts::LocalFormOpInterface;
using pcc::graph::ReduceOpKind;

namespace pcc::partition {
namespace {

using Values = SmallVector<Value>;

int64_t getLastDim(Value value) { return cast<RankedTensorType>(value.getType()).getRank() - 1; }

/// Builds the program of one rank, whose reductions go on over the ranks along some axes.
class RankBuilder : public graph::PieceBuilder {
public:
  RankBuilder(Operation *op, const OpBuilder &builder) : PieceBuilder(op->getLoc(), builder) {}

  Value allReduce(ReduceKind kind, Value value, const AxisList &axes) {
    if (axes.empty())
      return value;
    return make<dist::AllReduceOp>(value.getType(), kind, value,
                                   dist::GroupAttr::get(getContext(), axes));
  }

  Value reduceAlong(ReduceOpKind kind, Value value, ArrayRef<int64_t> dims, const AxisList &axes) {
    Value block = make<graph::ReduceOp>(kind, value, dims);
    return allReduce(kind == ReduceOpKind::Max ? ReduceKind::Max : ReduceKind::Sum, block, axes);
  }

  Value reduceAll(Value value) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, getLastDim(value) + 1));
    return make<graph::ReduceOp>(ReduceOpKind::Sum, value, dims);
  }

  /// x minus its maximum along a dimension that is cut by `axes`.
  Value subtractMaximum(Value x, int64_t dim, const AxisList &axes) {
    Value maximum = reduceAlong(ReduceOpKind::Max, x, dim, axes);
    return make<graph::SubOp>(x, repeatAlong(maximum, x, dim));
  }
};

struct SoftmaxForm : LocalFormOpInterface::ExternalModel<SoftmaxForm, graph::SoftmaxOp> {
  bool canSplitWhole(Operation *, unsigned) const { return true; }
  bool leavesPartial(Operation *, unsigned) const { return false; }

  Values buildLocal(Operation *op, OpBuilder &builder, ValueRange operands, TypeRange) const {
    int64_t axis = cast<graph::SoftmaxOp>(op).getAxis();
    AxisList axes = facts::getOperandSharding(op, 0).getDim(axis);
    if (axes.empty())
      return {};
    RankBuilder rank(op, builder);
    Value power = rank.make<graph::ExpOp>(rank.subtractMaximum(operands[0], axis, axes));
    Value sum = rank.reduceAlong(ReduceOpKind::Sum, power, axis, axes);
    return {rank.make<graph::DivOp>(power, rank.repeatAlong(sum, power, axis))};
  }
};

/// The loss of one rank's samples: on split samples a partial sum.
class CrossEntropyBuilder {
public:
  CrossEntropyBuilder(graph::SoftmaxCrossEntropyOp op, const OpBuilder &builder,
                      ValueRange operands)
      : op(op), logits(operands[0]), labels(operands[1]), mesh(dist::getMesh(op)),
        rank(op, builder) {
    Sharding sharding = facts::getOperandSharding(op, 0);
    classAxes = sharding.getDims().back();
    for (const AxisList &axes : sharding.getDims().drop_back())
      sampleAxes.append(axes);
  }

  bool splitsNothing() { return classAxes.empty() && (sampleAxes.empty() || !isMean()); }

  Value build(RankedTensorType scalar) {
    if (classAxes.empty() && !op.getIgnoreIndex()) {
      double shards = static_cast<double>(mesh.getSize(sampleAxes));
      return scale(rank, op.getLoc(), cloneWhole().getLoss(), 1.0 / shards);
    }
    Value kept = op.getIgnoreIndex() ? findKept() : Value();
    Value sum = classAxes.empty() ? sumWhole() : sumLosses(kept);
    if (!isMean())
      return sum;
    // In f32: narrower floats stop counting early.
    sum = rank.castTo(sum, rank.getF32Type());
    Value mean = rank.make<graph::DivOp>(sum, countSamples(sum, kept));
    return rank.castTo(mean, scalar.getElementType());
  }

private:
  bool isMean() { return op.getReduction() == graph::LossReduction::Mean; }

  /// The same op on this rank's samples, whose classes are whole.
  graph::SoftmaxCrossEntropyOp cloneWhole() {
    Type scalar = op.getLoss().getType();
    return cast<graph::SoftmaxCrossEntropyOp>(cloneOn(rank, op, {logits, labels}, scalar));
  }

  Value sumWhole() {
    graph::SoftmaxCrossEntropyOp blocks = cloneWhole();
    blocks.setReduction(graph::LossReduction::Sum);
    return blocks.getLoss();
  }

  /// Of this rank's samples, of those in `kept` if there are others.
  Value sumLosses(Value kept) {
    Value losses = makeLosses();
    if (kept)
      losses = rank.make<graph::SelectOp>(kept, losses, rank.splat(losses, 0.0));
    return rank.reduceAll(isMean() ? rank.castTo(losses, rank.getF32Type()) : losses);
  }

  /// -Σ weights · log softmax, one number per sample, the same on all ranks that share it.
  Value makeLosses() {
    int64_t axis = getLastDim(logits);
    Value shifted = rank.subtractMaximum(logits, axis, classAxes);
    Value power = rank.make<graph::ExpOp>(shifted);
    Value logSum =
        rank.make<graph::LogOp>(rank.reduceAlong(ReduceOpKind::Sum, power, axis, classAxes));
    Value logSoftmax = rank.make<graph::SubOp>(shifted, rank.repeatAlong(logSum, shifted, axis));
    Value product = rank.make<graph::MulOp>(makeWeights(), logSoftmax);
    return rank.make<graph::NegOp>(rank.reduceAlong(ReduceOpKind::Sum, product, axis, classAxes));
  }

  /// The labels as one weight for each of this rank's classes.
  Value makeWeights() {
    auto type = cast<RankedTensorType>(logits.getType());
    if (isa<FloatType>(cast<RankedTensorType>(labels.getType()).getElementType()))
      return labels;
    int64_t classes = type.getShape().back();
    Value indices = labels;
    if (!classAxes.empty())
      indices = makeRelative(rank, op.getLoc(), labels, classAxes, classes, mesh);
    return rank.make<graph::OneHotOp>(type, indices, getLastDim(logits));
  }

  Value findKept() {
    auto type = cast<RankedTensorType>(labels.getType());
    APInt ignored(type.getElementTypeBitWidth(), *op.getIgnoreIndex(), /*isSigned=*/true);
    Value sentinel = rank.make<graph::ConstantOp>(type, DenseElementsAttr::get(type, ignored));
    return rank.make<graph::CompareOp>(graph::Direction::NE, labels, sentinel);
  }

  /// The number of samples on all ranks, of those in `kept` if there are others.
  Value countSamples(Value like, Value kept) {
    if (kept)
      return rank.allReduce(ReduceKind::Sum, rank.reduceAll(rank.castTo(kept, rank.getF32Type())),
                            sampleAxes);
    auto samples = cast<RankedTensorType>(logits.getType()).getShape().drop_back();
    return rank.splat(like,
                      static_cast<double>(llvm::product_of(samples) * mesh.getSize(sampleAxes)));
  }

  graph::SoftmaxCrossEntropyOp op;
  Value logits, labels;
  dist::Mesh mesh;
  RankBuilder rank;
  AxisList classAxes, sampleAxes;
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
  graph::SoftmaxOp::attachInterface<SoftmaxForm>(*context);
  graph::SoftmaxCrossEntropyOp::attachInterface<CrossEntropyForm>(*context);
}

} // namespace pcc::partition
