// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes log_softmax and softmax cross entropy.
//
//   log_softmax            log(softmax(x))
//   softmax_cross_entropy  nll(log_softmax(x), labels), or -Σ weights · log_softmax(x), summed or
//                          averaged over the samples, where weights are probabilities or one_hot
//
// Assumes canonical form; leaves the matched ops to be erased if nothing else reads them.
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHRAISELOSSES
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

static LogicalResult raiseLogSoftmax(LogOp op, PatternRewriter &rewriter) {
  auto softmax = op->getOperand(0).getDefiningOp<SoftmaxOp>();
  if (!softmax)
    return failure();
  Value x = softmax.getInput();
  Value raised = LogSoftmaxOp::create(rewriter, fuseLocations(op->getResult(0), x), x.getType(), x,
                                      softmax.getAxis());
  rewriter.replaceOp(op, raised);
  return success();
}

/// Returns the log_softmax along the last dimension that defines `value`, if one does.
static LogSoftmaxOp findLogSoftmax(Value value) {
  auto op = value.getDefiningOp<LogSoftmaxOp>();
  return op && op.getAxis() == typeOf(op.getInput()).getRank() - 1 ? op : LogSoftmaxOp();
}

static LogicalResult raiseNll(NllOp op, PatternRewriter &rewriter) {
  LogSoftmaxOp logs = findLogSoftmax(op.getLogProbabilities());
  if (!logs)
    return failure();
  Value logits = logs.getInput();
  Location loc = fuseLocations(op.getLoss(), {logits, op.getLabels()});
  rewriter
      .replaceOpWithNewOp<SoftmaxCrossEntropyOp>(op, logits, op.getLabels(), op.getReductionAttr(),
                                                 op.getIgnoreIndexAttr())
      ->setLoc(loc);
  return success();
}

/// Returns the multiplication whose elements the scalar `value` sums up times `factor`; null if
/// there is none.
static MulOp findSummed(Value value, double &factor) {
  factor = 1.0;
  while (true) {
    auto [inner, scale] = splitScale(value);
    factor *= scale;
    value = inner;
    Operation *op = value.getDefiningOp();
    if (auto reduce = dyn_cast_or_null<ReduceOp>(op)) {
      int64_t combined =
          typeOf(reduce.getInput()).getNumElements() / typeOf(value).getNumElements();
      if (reduce.getKind() == ReduceOpKind::Mean)
        factor /= double(combined);
      else if (reduce.getKind() != ReduceOpKind::Sum)
        return {};
    } else if (isa_and_present<NegOp>(op)) {
      factor = -factor;
    } else if (!isa_and_present<ReshapeOp>(op)) {
      return dyn_cast_or_null<MulOp>(op);
    }
    value = op->getOperand(0);
  }
}

/// Returns class numbers if `weights` are their one_hot, else `weights`.
static Value findLabels(Value weights) {
  auto oneHot = weights.getDefiningOp<OneHotOp>();
  bool isLast = oneHot && oneHot.getAxis() == typeOf(weights).getRank() - 1;
  return isLast ? oneHot.getIndices() : weights;
}

static LogicalResult raiseSum(Operation *op, PatternRewriter &rewriter) {
  Value loss = op->getResult(0);
  if (typeOf(loss).getRank() != 0 || !isa<FloatType>(typeOf(loss).getElementType()))
    return failure();
  double factor;
  MulOp product = findSummed(loss, factor);
  LogSoftmaxOp logs;
  Value weights;
  if (product)
    matchEither(product, [&](Value a, Value b) {
      logs = findLogSoftmax(a);
      weights = b;
      return bool(logs);
    });
  if (!logs)
    return failure();
  RankedTensorType type = typeOf(logs.getInput());
  double samples = double(type.getNumElements() / type.getShape().back());
  bool isSum = isNear(factor, -1.0, type.getElementType());
  bool isMean = isNear(factor * samples, -1.0, type.getElementType());
  if (!isSum && !isMean)
    return failure();
  Value labels = findLabels(weights);
  Location loc = fuseLocations(loss, {logs.getInput(), labels});
  auto reduction = isSum ? LossReduction::Sum : LossReduction::Mean;
  Value raised = SoftmaxCrossEntropyOp::create(rewriter, loc, logs.getInput(), labels, reduction,
                                               IntegerAttr());
  rewriter.replaceOp(op, raised);
  return success();
}

/// Raises a sum of losses that is divided by the number of samples afterwards.
static LogicalResult raiseAverage(Operation *op, PatternRewriter &rewriter) {
  auto [inner, factor] = splitScale(op->getResult(0));
  auto sum = inner.getDefiningOp<SoftmaxCrossEntropyOp>();
  if (!sum || sum.getReduction() != LossReduction::Sum || sum.getIgnoreIndex())
    return failure();
  RankedTensorType type = sum.getLogits().getType();
  double samples = double(type.getNumElements() / type.getShape().back());
  if (!isNear(factor * samples, 1.0, type.getElementType()))
    return failure();
  Location loc = fuseLocations(op->getResult(0), {sum.getLogits(), sum.getLabels()});
  Value mean = SoftmaxCrossEntropyOp::create(rewriter, loc, sum.getLogits(), sum.getLabels(),
                                             LossReduction::Mean, IntegerAttr());
  rewriter.replaceOp(op, mean);
  return success();
}

static LogicalResult raiseNegated(NegOp op, PatternRewriter &rewriter) {
  return raiseSum(op, rewriter);
}
static LogicalResult raiseScaled(MulOp op, PatternRewriter &rewriter) {
  return success(succeeded(raiseSum(op, rewriter)) || succeeded(raiseAverage(op, rewriter)));
}
static LogicalResult raiseDivided(DivOp op, PatternRewriter &rewriter) {
  return success(succeeded(raiseSum(op, rewriter)) || succeeded(raiseAverage(op, rewriter)));
}
static LogicalResult raiseReduced(ReduceOp op, PatternRewriter &rewriter) {
  return raiseSum(op, rewriter);
}

namespace {
struct RaiseLosses : pcc::graph::impl::GraphRaiseLossesBase<RaiseLosses> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseLogSoftmax);
    patterns.add(raiseNll);
    patterns.add(raiseNegated);
    patterns.add(raiseScaled);
    patterns.add(raiseDivided);
    patterns.add(raiseReduced);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
