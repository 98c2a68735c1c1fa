// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes layer norm and root mean square norm in reductions and arithmetic.
//
//   layer_norm  d = x - mean(x)     d / √(mean(d²) + ε) [* scale [+ bias]]
//   rms_norm                        x / √(mean(x²) + ε) [* scale]
//
// The quotient may be a multiplication by rsqrt, reciprocal or a power. The scale may stand before
// it. A mean may be a sum divided by the number of its terms. Assumes canonical form; leaves the
// arithmetic to be erased if nothing else reads it.
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/graph/Match.h"
#include "passes/graph/Passes.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::graph {
#define GEN_PASS_DEF_GRAPHRAISENORMS
#include "passes/graph/Passes.h.inc"
} // namespace pcc::graph

namespace {

/// A mean over the last dimensions.
struct Mean {
  Value input;
  int64_t axis = 0; ///< first of these dimensions
  int64_t rows = 0; ///< number of means
};

/// A normalized value: `input`, with or without its mean subtracted, divided by the root of its
/// mean square.
struct Norm {
  Value input;
  Value bias; ///< only of a layer norm
  Value scale;
  double epsilon = 0.0;
  int64_t axis = 0;
  bool isCentered = false;
};

} // namespace

static std::optional<Mean> findMean(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getKind() != ReduceOpKind::Mean || reduce.getDims().empty())
    return std::nullopt;
  int64_t rank = reduce.getInput().getType().getRank();
  int64_t axis = rank - int64_t(reduce.getDims().size());
  if (!llvm::equal(reduce.getDims(), llvm::seq<int64_t>(axis, rank)))
    return std::nullopt;
  return Mean{reduce.getInput(), axis, reduce.getResult().getType().getNumElements()};
}

/// Returns x of `value` = x - mean(x), and the mean; nothing if it has another form.
static std::optional<Mean> findCenter(Value value) {
  auto center = value.getDefiningOp<SubOp>();
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  for (size_t axis = shape.size(); center && axis-- > 0;) {
    Value mean = findRows(center.getRhs(), llvm::product_of(shape.take_front(axis)));
    std::optional<Mean> own = mean ? findMean(mean) : std::nullopt;
    if (own && own->input == center.getLhs() && own->axis == int64_t(axis))
      return own;
  }
  return std::nullopt;
}

/// Returns whether `square` is x². Exporters may compute x - mean(x) twice.
static bool isSquareOf(Value square, Value x) {
  Product product = flattenProduct(square, x);
  if (product.factors.size() != 2 || product.scale != 1.0 ||
      product.factors[0] != product.factors[1])
    return false;
  if (product.factors[0] == x)
    return true;
  std::optional<Mean> center = findCenter(x), other = findCenter(product.factors[0]);
  return center && other && center->input == other->input && center->axis == other->axis;
}

/// Finds the mean of squares m of `value` = m + ε.
static std::optional<Mean> findVariance(Value value, double &epsilon) {
  std::optional<Mean> mean;
  auto add = value.getDefiningOp<AddOp>();
  if (add)
    matchEither(add, [&](Value variance, Value number) {
      std::optional<double> splat = findSplat(number);
      epsilon = splat.value_or(0.0);
      return splat && (mean = findMean(variance));
    });
  return mean;
}

/// Returns v of `value` = 1/√v; null if it has another form.
static Value findInverseRoot(Value value) {
  Operation *op = value.getDefiningOp();
  auto rootOf = [](Value root) -> Value {
    auto sqrt = root.getDefiningOp<SqrtOp>();
    return sqrt ? sqrt->getOperand(0) : Value();
  };
  if (isa_and_present<RsqrtOp>(op))
    return op->getOperand(0);
  if (isa_and_present<ReciprocalOp>(op))
    return rootOf(op->getOperand(0));
  if (isa_and_present<DivOp>(op) && isSplat(op->getOperand(0), 1.0))
    return rootOf(op->getOperand(1));
  if (isa_and_present<PowOp>(op) && isSplat(op->getOperand(1), -0.5))
    return op->getOperand(0);
  return {};
}

/// Matches `divided` / √`under`, where `under` is the mean square of `divided` + ε.
static std::optional<Norm> matchRoot(Value divided, Value under) {
  Norm norm;
  std::optional<Mean> square = findVariance(under, norm.epsilon);
  if (!square || square->input.getType() != divided.getType() ||
      !isSquareOf(square->input, divided))
    return std::nullopt;
  norm.input = divided;
  norm.axis = square->axis;
  std::optional<Mean> center = findCenter(divided);
  if (center && center->axis == norm.axis) {
    norm.input = center->input;
    norm.isCentered = true;
  }
  return norm;
}

/// Matches a quotient. The number of rows before the averaged dimensions is not known yet, so every
/// split into rows is tried.
static std::optional<Norm> matchQuotient(Operation *op) {
  std::optional<Norm> norm;
  auto tryRoot = [&](Value divided, Value repeated, bool isInverse) {
    int64_t rows = 1;
    ArrayRef<int64_t> shape = typeOf(divided).getShape();
    for (int64_t size : shape.empty() ? shape : shape.drop_back()) {
      rows *= size;
      Value root = findRows(repeated, rows);
      if (!root)
        continue;
      Value under = isInverse ? findInverseRoot(root) : Value();
      if (auto sqrt = root.getDefiningOp<SqrtOp>(); sqrt && !isInverse)
        under = sqrt->getOperand(0);
      if (under && (norm = matchRoot(divided, under)))
        return true;
    }
    return false;
  };
  if (isa<DivOp>(op))
    tryRoot(op->getOperand(0), op->getOperand(1), false);
  else
    matchEither(op, [&](Value divided, Value root) { return tryRoot(divided, root, true); });
  return norm;
}

/// Returns the tensor over the dimensions from `axis` on that `value` repeats for every row; null
/// if there is none.
static Value findVector(Value value, int64_t axis) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  RankedTensorType type = typeOf(value), input = typeOf(broadcast.getInput());
  int64_t extra = input.getRank() - (type.getRank() - axis);
  if (extra < 0 || input.getShape().drop_front(extra) != type.getShape().drop_front(axis) ||
      !llvm::all_of(
          input.getShape().take_front(extra), [](int64_t size) { return size == 1; }) ||
      !llvm::equal(broadcast.getDims().drop_front(extra), llvm::seq<int64_t>(axis, type.getRank())))
    return {};
  return broadcast.getInput();
}

/// Returns the only reader of `op`, if it is an `Op` whose other operand is a vector of `norm`.
template <typename Op> static Op findVectorReader(Operation *op, const Norm &norm, Value &vector) {
  auto reader = op->hasOneUse() ? dyn_cast<Op>(*op->user_begin()) : Op();
  if (!reader)
    return {};
  Value other = reader.getLhs() == op->getResult(0) ? reader.getRhs() : reader.getLhs();
  vector = findVector(other, norm.axis);
  return vector ? reader : Op();
}

/// Returns `vector` in the shape of the normalized dimensions; ones if it is null.
static Value makeVector(Value vector, const Norm &norm, Location loc, PatternRewriter &rewriter) {
  RankedTensorType input = typeOf(norm.input);
  RankedTensorType type = input.clone(input.getShape().drop_front(norm.axis));
  if (!vector)
    return ConstantOp::create(rewriter, loc, type, 1.0);
  return vector.getType() == type ? vector : ReshapeOp::create(rewriter, loc, type, vector);
}

static LogicalResult raiseNorm(Operation *op, PatternRewriter &rewriter) {
  if (!isa<FloatType>(typeOf(op->getResult(0)).getElementType()))
    return failure();
  std::optional<Norm> norm = matchQuotient(op);
  if (!norm)
    return failure();
  Operation *last = op;
  if (auto mul = findVectorReader<MulOp>(last, *norm, norm->scale)) {
    last = mul;
    if (norm->isCentered)
      if (auto add = findVectorReader<AddOp>(last, *norm, norm->bias))
        last = add;
  }
  SmallVector<Value> inputs{norm->input};
  for (Value vector : {norm->scale, norm->bias})
    if (vector)
      inputs.push_back(vector);
  Location loc = fuseLocations(last->getResult(0), inputs);
  rewriter.setInsertionPoint(last);
  Value scale = makeVector(norm->scale, *norm, loc, rewriter);
  Value bias = norm->bias ? makeVector(norm->bias, *norm, loc, rewriter) : Value();
  llvm::APFloat epsilon(norm->epsilon);
  Value result;
  if (norm->isCentered)
    result = LayerNormOp::create(rewriter, loc, norm->input.getType(), norm->input, scale, bias,
                                 norm->axis, epsilon);
  else
    result = RmsNormOp::create(rewriter, loc, norm->input.getType(), norm->input, scale, norm->axis,
                               epsilon);
  rewriter.replaceOp(last, result);
  return success();
}

/// (scale · d) / root = (d / root) · scale, for a vector `scale`.
static LogicalResult moveScale(DivOp op, PatternRewriter &rewriter) {
  auto mul = op.getLhs().getDefiningOp<MulOp>();
  if (!mul || !isa<FloatType>(op.getType().getElementType()) || findSplat(op.getRhs()))
    return failure();
  return success(matchEither(mul, [&](Value scale, Value divided) {
    auto center = divided.getDefiningOp<SubOp>();
    int64_t last = op.getType().getRank() - 1;
    if (!findVector(scale, last) || findSplat(scale) || !(center && findCenter(divided)))
      return false;
    Value quotient = DivOp::create(rewriter, op.getLoc(), op.getType(), divided, op.getRhs());
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), quotient, scale);
    return true;
  }));
}

/// A sum divided by the number of its terms is a mean.
static LogicalResult raiseMean(DivOp op, PatternRewriter &rewriter) {
  Value sum = op.getLhs();
  if (auto reshape = sum.getDefiningOp<ReshapeOp>())
    sum = reshape.getInput();
  auto reduce = sum.getDefiningOp<ReduceOp>();
  std::optional<double> count = findSplat(op.getRhs());
  if (!reduce || !count || reduce.getKind() != ReduceOpKind::Sum || reduce.getCrossBatch() ||
      !op.getType().getElementType().isF32())
    return failure();
  int64_t terms = reduce.getInput().getType().getNumElements() /
                  std::max<int64_t>(op.getType().getNumElements(), 1);
  if (double(terms) != *count)
    return failure();
  Value mean = ReduceOp::create(rewriter, reduce.getLoc(), ReduceOpKind::Mean, reduce.getInput(),
                                reduce.getDims());
  if (mean.getType() != op.getType())
    mean = ReshapeOp::create(rewriter, op.getLoc(), op.getType(), mean);
  rewriter.replaceOp(op, mean);
  return success();
}

static LogicalResult raiseQuotient(DivOp op, PatternRewriter &rewriter) {
  return raiseNorm(op, rewriter);
}
static LogicalResult raiseProduct(MulOp op, PatternRewriter &rewriter) {
  return raiseNorm(op, rewriter);
}

namespace {
struct RaiseNorms : pcc::graph::impl::GraphRaiseNormsBase<RaiseNorms> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseMean);
    patterns.add(moveScale);
    patterns.add(raiseQuotient);
    patterns.add(raiseProduct);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
