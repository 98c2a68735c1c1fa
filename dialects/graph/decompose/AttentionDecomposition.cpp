// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes attention as a softmax in f32 between two matmuls. The gradient recomputes the softmax
// weights from the saved `log_sum`. The hard part is a fully masked row: its maximum is -∞.
// Replacements for the maximum and the sum make its result 0 instead of NaN.
//
// The helpers of rotary embeddings at the end split values into pairs and join them again.
#include "dialects/graph/decompose/AttentionDecomposition.h"

#include <limits>

using namespace mlir;

namespace pcc::graph {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the number of key positions minus the number of query positions.
static int64_t ownOffset(const AttentionOperands &operands) {
  return typeOf(operands.key).getDimSize(2) - typeOf(operands.query).getDimSize(2);
}

bool AttentionOperands::mayBeFullyMasked() const {
  return mask || (causal && (offset || ownOffset(*this) < 0));
}

namespace {

/// Builds one attention. The parameter `x` of a method is [batch, heads, positions, anything].
class AttentionBuilder {
public:
  AttentionBuilder(const AttentionOperands &operands, DecompositionBuilder &builder)
      : operands(operands), builder(builder) {
    ArrayRef<int64_t> query = typeOf(operands.query).getShape();
    heads = query[1];
    positions = query[2];
    groups = typeOf(operands.key).getDimSize(1);
    element = typeOf(operands.query).getElementType();
  }

  /// Stacks the heads of a group: [batch, groups, heads of a group · positions, …].
  Value stackHeads(Value x) const { return reshape(x, groups, heads / groups * positions); }
  Value unstackHeads(Value x) const { return reshape(x, heads, positions); }

  /// Computes scale · query keyᵀ + mask in f32, or f64; -∞ at masked positions.
  Value makeScores() const {
    Type wide = accumulatorOf(element);
    Value product =
        builder.make<MatmulOp>(builder.castTo(stackHeads(operands.query), wide),
                               builder.castTo(operands.key, wide), false, /*transpose_rhs=*/true);
    Value scores = unstackHeads(product);
    if (operands.scale != 1.0)
      scores = builder.make<MulOp>(scores, builder.splat(scores, operands.scale));
    if (operands.mask)
      scores = builder.make<AddOp>(scores, repeatMask(scores));
    if (operands.causal)
      scores = builder.make<SelectOp>(isVisible(scores), scores, builder.splat(scores, hidden));
    return scores;
  }

  /// Repeats one number per row along the rows of `like`.
  Value repeatRows(Value rows, Value like) const { return builder.repeatAlong(rows, like, 3); }

  /// Replaces the -∞ of fully masked rows by `instead`, so that differences from it are not NaN.
  Value makeFinite(Value rows, double instead) const {
    if (!operands.mayBeFullyMasked())
      return rows;
    Value hasVisible = builder.make<CompareOp>(Direction::GT, rows, builder.splat(rows, hidden));
    return builder.make<SelectOp>(hasVisible, rows, builder.splat(rows, instead));
  }

  /// Multiplies matrices of groups: [batch, groups, …, …].
  Value multiply(Value left, Value right, bool transposeLeft, bool transposeRight) const {
    return builder.make<MatmulOp>(left, right, transposeLeft, transposeRight);
  }

  static constexpr double hidden = -std::numeric_limits<double>::infinity();

private:
  Value reshape(Value x, int64_t dim1, int64_t dim2) const {
    RankedTensorType type = typeOf(x);
    int64_t shape[] = {type.getDimSize(0), dim1, dim2, type.getDimSize(3)};
    if (type.getShape() == ArrayRef(shape))
      return x;
    return builder.make<ReshapeOp>(type.clone(shape), x);
  }

  /// Drops the mask's dimensions of size one, then repeats the mask along them.
  Value repeatMask(Value scores) const {
    Value mask = builder.castTo(operands.mask, accumulatorOf(element));
    RankedTensorType type = typeOf(mask);
    SmallVector<int64_t> dims, shape;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size != 1) {
        dims.push_back(dim);
        shape.push_back(size);
      }
    if (shape.size() == 4)
      return mask;
    return builder.make<BroadcastOp>(typeOf(scores),
                                     builder.make<ReshapeOp>(type.clone(shape), mask), dims);
  }

  /// Limits the offset, which a program may compute as any number. Beyond these limits, every
  /// position of the query sees all keys or none. Within them, i32 holds all sums of positions.
  Value clampOffset() const {
    Value offset = builder.castTo(operands.offset, builder.getI64Type());
    int64_t keyPositions = typeOf(operands.key).getDimSize(2);
    offset = builder.make<MaxOp>(offset, builder.splat(offset, -double(positions)));
    return builder.make<MinOp>(offset, builder.splat(offset, double(keyPositions)));
  }

  /// Computes position of the key ≤ position of the query + offset.
  Value isVisible(Value scores) const {
    auto type = typeOf(scores).clone(builder.getI32Type());
    Value queryPosition = builder.make<IotaOp>(type, 2);
    Value keyPosition = builder.make<IotaOp>(type, 3);
    Value offset = operands.offset ? builder.repeat(clampOffset(), queryPosition)
                                   : builder.make<ConstantOp>(type, double(ownOffset(operands)));
    Value lastVisible = builder.make<AddOp>(queryPosition, offset);
    return builder.make<CompareOp>(Direction::LE, keyPosition, lastVisible);
  }

  const AttentionOperands &operands;
  DecompositionBuilder &builder;
  int64_t heads, positions, groups;

public:
  Type element;
};

} // namespace

Decomposition buildAttention(const AttentionOperands &operands, DecompositionBuilder &builder) {
  AttentionBuilder attention(operands, builder);
  Value scores = attention.makeScores();
  Value maximum = builder.make<ReduceOp>(ReduceOpKind::Max, scores, 3);
  maximum = attention.makeFinite(maximum, 0.0);
  Value shifted = builder.make<SubOp>(scores, attention.repeatRows(maximum, scores));
  Value power = builder.make<ExpOp>(shifted);
  Value sum = builder.make<ReduceOp>(ReduceOpKind::Sum, power, 3);
  Value logSum = builder.make<AddOp>(maximum, builder.make<LogOp>(sum));
  if (operands.mayBeFullyMasked()) // the sum of a row that is not fully masked is at least 1
    sum = builder.make<MaxOp>(sum, builder.splat(sum, std::numeric_limits<float>::min()));
  Value weights = builder.make<DivOp>(power, attention.repeatRows(sum, power));
  Value narrow = builder.castTo(weights, attention.element);
  Value product = attention.multiply(attention.stackHeads(narrow), operands.value, false, false);
  return {attention.unstackHeads(product), logSum};
}

/// With G the gradient of `result` and W = exp(scores - log_sum), dV = Wᵀ G and dW = G Vᵀ are
/// matrix products. The gradient of the softmax is elementwise in the scores:
///
///   dscores = W (dW - delta + dlog_sum)       delta = Σ W dW = Σ G result, a sum along each row
///
/// This form of delta needs no second pass over W (FlashAttention, Dao et al. 2022, appendix B).
AttentionGradients buildAttentionGradients(const AttentionOperands &operands, Value result,
                                           Value logSum, Value gradient, Value logSumGradient,
                                           DecompositionBuilder &builder) {
  AttentionBuilder attention(operands, builder);
  Type wide = accumulatorOf(attention.element);
  Value scores = attention.makeScores();
  Value finite = attention.makeFinite(logSum, 0.0);
  Value shifted = builder.make<SubOp>(scores, attention.repeatRows(finite, scores));
  Value weights = builder.make<ExpOp>(shifted);

  Value stackedGradient = attention.stackHeads(gradient);
  Value weightGradient = attention.multiply(stackedGradient, operands.value, false, true);
  weightGradient = builder.castTo(attention.unstackHeads(weightGradient), wide);
  Value product = builder.make<MulOp>(builder.castTo(gradient, wide), builder.castTo(result, wide));
  Value rowDelta = builder.make<ReduceOp>(ReduceOpKind::Sum, product, 3);
  if (logSumGradient)
    rowDelta = builder.make<SubOp>(rowDelta, logSumGradient);
  Value difference =
      builder.make<SubOp>(weightGradient, attention.repeatRows(rowDelta, weightGradient));
  Value scoreGradient = builder.make<MulOp>(weights, difference);

  Value scaled = scoreGradient;
  if (operands.scale != 1.0)
    scaled = builder.make<MulOp>(scoreGradient, builder.splat(scoreGradient, operands.scale));
  Value stackedScoreGradient = attention.stackHeads(builder.castTo(scaled, attention.element));
  Value stackedWeights = attention.stackHeads(builder.castTo(weights, attention.element));
  Value stackedQuery = attention.stackHeads(operands.query);
  Value queryGradient = attention.multiply(stackedScoreGradient, operands.key, false, false);
  AttentionGradients gradients;
  gradients.query = attention.unstackHeads(queryGradient);
  gradients.key = attention.multiply(stackedScoreGradient, stackedQuery, true, false);
  gradients.value = attention.multiply(stackedWeights, stackedGradient, true, false);
  gradients.scores = scoreGradient;
  return gradients;
}

/// Takes block `index` of `count` equal blocks along dimension `axis`.
static Value takeBlock(Value x, int64_t axis, int64_t index, int64_t count,
                       DecompositionBuilder &builder) {
  RankedTensorType type = typeOf(x);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= count;
  return builder.make<SliceOp>(type.clone(shape), x, axis, index * shape[axis]);
}

std::pair<Value, Value> splitPairs(Value input, bool interleaved, DecompositionBuilder &builder) {
  if (!interleaved)
    return {takeBlock(input, 3, 0, 2, builder), takeBlock(input, 3, 1, 2, builder)};
  RankedTensorType type = typeOf(input);
  SmallVector<int64_t> half(type.getShape());
  half.back() /= 2;
  SmallVector<int64_t> pairs(half);
  pairs.push_back(2);
  Value paired = builder.make<ReshapeOp>(type.clone(pairs), input);
  auto take = [&](int64_t index) -> Value {
    return builder.make<ReshapeOp>(type.clone(half), takeBlock(paired, 4, index, 2, builder));
  };
  Value u = take(0);
  return {u, take(1)};
}

Value joinPairs(Value u, Value v, bool interleaved, DecompositionBuilder &builder) {
  if (!interleaved)
    return builder.make<ConcatOp>(ValueRange{u, v}, 3);
  RankedTensorType type = typeOf(u);
  SmallVector<int64_t> pairs(type.getShape()), whole(type.getShape());
  pairs.push_back(1);
  whole.back() *= 2;
  Value left = builder.make<ReshapeOp>(type.clone(pairs), u);
  Value right = builder.make<ReshapeOp>(type.clone(pairs), v);
  Value joined = builder.make<ConcatOp>(ValueRange{left, right}, 4);
  return builder.make<ReshapeOp>(type.clone(whole), joined);
}

Value repeatAngles(Value angles, Value half, DecompositionBuilder &builder) {
  SmallVector<int64_t> dims = {2, 3};
  if (typeOf(angles).getRank() == 3)
    dims.insert(dims.begin(), 0);
  return builder.make<BroadcastOp>(typeOf(half), angles, dims);
}

} // namespace pcc::graph
