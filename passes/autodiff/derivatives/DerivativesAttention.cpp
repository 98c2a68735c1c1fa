// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of attention and of the embedding of positions.
#include "dialects/graph/decompose/AttentionDecomposition.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/autodiff/derivatives/Derivatives.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::autodiff {

/// Sums the gradient along the dimensions in which the mask is repeated.
static Value gradientOfMask(Backward &b, Value mask, Value scores) {
  SmallVector<int64_t> repeated;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(shapeOf(mask), shapeOf(scores))))
    if (std::get<0>(sizes) != std::get<1>(sizes))
      repeated.push_back(dim);
  Value sum = scores;
  if (!repeated.empty())
    sum = b.make<ReduceOp>(ReduceOpKind::Sum, scores, repeated);
  auto wide = cast<RankedTensorType>(mask.getType())
                  .clone(accumulatorOf(getElementTypeOrSelf(mask.getType())));
  if (sum.getType() != wide)
    sum = b.make<ReshapeOp>(wide, sum);
  return b.castTo(sum, getElementTypeOrSelf(mask.getType()));
}

/// Returns the op's gradients by its decomposition, for cases that `attention_gradient` has no
/// result or operand for.
static AttentionGradients differentiateByDecomposition(Backward &b, AttentionOp op,
                                                       Value gradient) {
  DecompositionBuilder pieces(b.getLoc(), b);
  return buildAttentionGradients(AttentionOperands(op), op.getResult(), op.getLogSum(), gradient,
                                 b.gradient(1), pieces);
}

static void differentiateAttention(Backward &b) {
  auto op = b.op<AttentionOp>();
  Value gradient = b.gradient(0) ? b.gradient(0) : b.like(op.getResult(), 0.0);
  if (op.getMask() && b.wants(3))
    b.setGradient(
        3, gradientOfMask(b, op.getMask(), differentiateByDecomposition(b, op, gradient).scores));
  if (b.gradient(1)) {
    AttentionGradients gradients = differentiateByDecomposition(b, op, gradient);
    b.setGradient(0, gradients.query);
    b.setGradient(1, gradients.key);
    b.setGradient(2, gradients.value);
    return;
  }
  auto gradients = AttentionGradientOp::create(
      b, op.getQuery().getType(), op.getKey().getType(), op.getValue().getType(), op.getQuery(),
      op.getKey(), op.getValue(), op.getResult(), op.getLogSum(), gradient, op.getMask(),
      op.getOffset(), op.getScaleAttr(), op.getCausalAttr());
  for (unsigned operand : {0, 1, 2})
    b.setGradient(operand, gradients->getResult(operand));
}

/// A rotation is undone by the opposite angle. The gradients of the angles come from the products
/// in u' = u cos - v sin, v' = u sin + v cos.
/// They are summed over heads, and over samples if these share angles.
static void differentiateRotary(Backward &b) {
  auto op = b.op<RotaryEmbeddingOp>();
  if (b.wants(0))
    b.setGradient(0, b.make<RotaryEmbeddingOp>(b.gradient(), op.getCosine(), b.neg(op.getSine()),
                                               op.getInterleaved()));
  if (!b.wants(1) && !b.wants(2))
    return;
  DecompositionBuilder pieces(b.getLoc(), b);
  auto [u, v] = splitPairs(op.getInput(), op.getInterleaved(), pieces);
  auto [du, dv] = splitPairs(b.gradient(), op.getInterleaved(), pieces);
  SmallVector<int64_t> shared = {0, 1};
  if (op.getCosine().getType().getRank() == 3)
    shared = {1};
  auto sum = [&](Value x) -> Value { return b.make<ReduceOp>(ReduceOpKind::Sum, x, shared); };
  b.setGradient(1, sum(b.add(b.mul(du, u), b.mul(dv, v))));
  b.setGradient(2, sum(b.sub(b.mul(dv, u), b.mul(du, v))));
}

void addAttentionDerivatives(DerivativeTable &table) {
  table.rule<AttentionOp>(differentiateAttention);
  table.rule<RotaryEmbeddingOp>(differentiateRotary);
  table.none<AttentionGradientOp>("a gradient is not differentiated again");
}

} // namespace pcc::autodiff
