// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the mean, then the mean of squared deviations (the two-pass algorithm). Each rank
// divides its sum by the count of all blocks, so that joining the blocks is a plain sum.
#include "dialects/graph/decompose/NormDecomposition.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::graph {

static Value joinNothing(Value sum) { return sum; }

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

NormSpan NormSpan::from(int64_t axis, int64_t rank) {
  return {llvm::to_vector(llvm::seq<int64_t>(axis, rank)), 1, joinNothing};
}

NormSpan NormSpan::ofChannels(int64_t rank) {
  SmallVector<int64_t> dims = {0};
  llvm::append_range(dims, llvm::seq<int64_t>(2, rank));
  return {std::move(dims), 1, joinNothing};
}

Value widen(Value value, DecompositionBuilder &builder) {
  bool isNarrow = typeOf(value).getElementTypeBitWidth() < 32;
  return isNarrow ? builder.castTo(value, builder.getF32Type()) : value;
}

Value sumOver(Value value, ArrayRef<int64_t> dims, DecompositionBuilder &builder) {
  int64_t firstLast = typeOf(value).getRank();
  while (llvm::is_contained(dims, firstLast - 1))
    --firstLast;
  SmallVector<int64_t> last, others;
  for (int64_t dim : dims)
    (dim >= firstLast ? last : others).push_back(dim);
  for (const SmallVector<int64_t> &group : {last, others})
    if (!group.empty())
      value = builder.make<ReduceOp>(ReduceOpKind::Sum, value, group);
  return value;
}

int64_t countOf(const NormSpan &span, RankedTensorType block) {
  int64_t count = span.blocks;
  for (int64_t dim : span.dims)
    count *= block.getDimSize(dim);
  return count;
}

double runningShare(BatchNormOp op, int64_t count) {
  bool isUnbiased = op.getUnbiased() && count > 1;
  return isUnbiased ? static_cast<double>(count) / static_cast<double>(count - 1) : 1.0;
}

Value meanOver(Value value, const NormSpan &span, DecompositionBuilder &builder) {
  int64_t count = countOf(span, typeOf(value));
  Value sum = sumOver(value, span.dims, builder);
  Value part = builder.make<DivOp>(sum, builder.splat(sum, static_cast<double>(count)));
  return span.joinSums(part);
}

/// Divides `value` by the root of its mean square; also returns the mean square and the inverse
/// root.
static Normalized divideByRoot(Value value, const APFloat &epsilon, const NormSpan &span,
                               DecompositionBuilder &builder) {
  Normalized result;
  result.variance = meanOver(builder.make<SquareOp>(value), span, builder);
  Value shifted = builder.make<AddOp>(result.variance,
                                      builder.splat(result.variance, epsilon.convertToDouble()));
  result.inverse = builder.repeatAlong(builder.make<RsqrtOp>(shifted), value, span.dims);
  result.value = builder.make<MulOp>(value, result.inverse);
  return result;
}

Normalized buildNormalized(Value input, const APFloat &epsilon, const NormSpan &span,
                           DecompositionBuilder &builder) {
  Value wide = widen(input, builder);
  Value mean = meanOver(wide, span, builder);
  Value deviation = builder.make<SubOp>(wide, builder.repeatAlong(mean, wide, span.dims));
  Normalized result = divideByRoot(deviation, epsilon, span, builder);
  result.mean = mean;
  return result;
}

Normalized buildRmsNormalized(Value input, const APFloat &epsilon, const NormSpan &span,
                              DecompositionBuilder &builder) {
  return divideByRoot(widen(input, builder), epsilon, span, builder);
}

/// Computes scale · value + bias, if there is one. Both lack the dimensions `missing` of `value`.
/// The result has the element type of `like`.
static Value scaleAndShift(Value value, Value scale, Value bias, ArrayRef<int64_t> missing,
                           Value like, DecompositionBuilder &builder) {
  // Cast at the use: an earlier cast would be a kernel of its own.
  auto repeat = [&](Value factor) {
    return builder.castTo(builder.repeatAlong(factor, value, missing),
                          typeOf(value).getElementType());
  };
  value = builder.make<MulOp>(value, repeat(scale));
  if (bias)
    value = builder.make<AddOp>(value, repeat(bias));
  return builder.castTo(value, getElementTypeOrSelf(like));
}

/// Lists the dimensions before `axis`.
static SmallVector<int64_t> dimsBefore(int64_t axis) {
  return llvm::to_vector(llvm::seq<int64_t>(0, axis));
}

Decomposition buildLayerNorm(LayerNormOp op, ValueRange operands, const NormSpan &span,
                             DecompositionBuilder &builder) {
  Value x = operands[0], bias = op.getBias() ? operands[2] : Value();
  Normalized normal = buildNormalized(x, op.getEpsilon(), span, builder);
  return {scaleAndShift(normal.value, operands[1], bias, dimsBefore(op.getAxis()), x, builder)};
}

Decomposition buildRmsNorm(RmsNormOp op, ValueRange operands, const NormSpan &span,
                           DecompositionBuilder &builder) {
  Value x = operands[0];
  Normalized normal = buildRmsNormalized(x, op.getEpsilon(), span, builder);
  return {scaleAndShift(normal.value, operands[1], {}, dimsBefore(op.getAxis()), x, builder)};
}

/// Computes momentum · old + (1 - momentum) · now, in the element type of `old`.
static Value moveStatistic(Value old, Value now, double momentum, DecompositionBuilder &builder) {
  Value wide = builder.castTo(old, typeOf(now).getElementType());
  Value kept = builder.make<MulOp>(wide, builder.splat(wide, momentum));
  Value moved = builder.make<MulOp>(now, builder.splat(now, 1.0 - momentum));
  return builder.castTo(builder.make<AddOp>(kept, moved), getElementTypeOrSelf(old));
}

Decomposition buildBatchNorm(BatchNormOp op, ValueRange operands, const NormSpan &span,
                             DecompositionBuilder &builder) {
  Value x = operands[0];
  double momentum = op.getMomentum().convertToDouble();
  Normalized normal = buildNormalized(x, op.getEpsilon(), span, builder);
  Value variance = normal.variance;
  if (double share = runningShare(op, countOf(span, typeOf(x))); share != 1)
    variance = builder.make<MulOp>(variance, builder.splat(variance, share));
  return {scaleAndShift(normal.value, operands[1], operands[2], span.dims, x, builder),
          moveStatistic(operands[3], normal.mean, momentum, builder),
          moveStatistic(operands[4], variance, momentum, builder)};
}

} // namespace pcc::graph
