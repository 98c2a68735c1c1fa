// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes softmax, log_softmax, the norms and dropout into reductions and elementwise ops.
#include "dialects/graph/decompose/Decompose.h"

#include "dialects/graph/decompose/NormDecomposition.h"
#include "dialects/graph/decompose/SoftmaxDecomposition.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::graph;

Decomposition pcc::graph::decompose(SoftmaxOp op, DecompositionBuilder &builder) {
  return {buildSoftmax(op.getInput(), op.getAxis(), builder, joinOneBlock)};
}

Decomposition pcc::graph::decompose(LogSoftmaxOp op, DecompositionBuilder &builder) {
  return {buildLogSoftmax(op.getInput(), op.getAxis(), builder, joinOneBlock)};
}

Decomposition pcc::graph::decompose(LayerNormOp op, DecompositionBuilder &builder) {
  int64_t rank = op.getInput().getType().getRank();
  return buildLayerNorm(op, op->getOperands(), NormSpan::from(op.getAxis(), rank), builder);
}

Decomposition pcc::graph::decompose(RmsNormOp op, DecompositionBuilder &builder) {
  int64_t rank = op.getInput().getType().getRank();
  return buildRmsNorm(op, op->getOperands(), NormSpan::from(op.getAxis(), rank), builder);
}

Decomposition pcc::graph::decompose(BatchNormOp op, DecompositionBuilder &builder) {
  int64_t rank = op.getInput().getType().getRank();
  return buildBatchNorm(op, op->getOperands(), NormSpan::ofChannels(rank), builder);
}

/// Computes (x - mean) · factor + bias, where factor = scale / sqrt(variance + epsilon). Mean,
/// factor and bias are one number for each channel.
Decomposition pcc::graph::decompose(BatchNormInferenceOp op, DecompositionBuilder &builder) {
  Value x = widen(op.getInput(), builder);
  Type element = getElementTypeOrSelf(x);
  SmallVector<int64_t> others = NormSpan::ofChannels(op.getInput().getType().getRank()).dims;
  auto repeat = [&](Value value) {
    return builder.castTo(builder.repeatAlong(value, x, others), element);
  };
  Value variance = builder.castTo(op.getVariance(), element);
  Value epsilon = builder.splat(variance, op.getEpsilon().convertToDouble());
  Value inverse = builder.make<RsqrtOp>(builder.make<AddOp>(variance, epsilon));
  Value factor = builder.make<MulOp>(builder.castTo(op.getScale(), element), inverse);
  Value deviation = builder.make<SubOp>(x, repeat(op.getMean()));
  Value scaled = builder.make<MulOp>(deviation, repeat(factor));
  Value result = builder.make<AddOp>(scaled, repeat(op.getBias()));
  return {builder.castTo(result, getElementTypeOrSelf(op.getInput()))};
}

/// Keeps an element if its random number in [0, 1) is at least the rate, and scales it by
/// 1 / (1 - rate), so that the mean stays.
Decomposition pcc::graph::decompose(DropoutOp op, DecompositionBuilder &builder) {
  double rate = op.getRate().convertToDouble();
  Value x = op.getInput();
  auto numbers = op.getInput().getType().clone(builder.getF32Type());
  Value drawn = builder.make<RngUniformOp>(numbers, op.getIndex(), op.getSeed());
  Value kept = builder.make<CompareOp>(Direction::GE, drawn, builder.splat(drawn, rate));
  Value scaled = builder.make<MulOp>(x, builder.splat(x, 1.0 / (1.0 - rate)));
  return {builder.make<SelectOp>(kept, scaled, builder.splat(x, 0.0))};
}
