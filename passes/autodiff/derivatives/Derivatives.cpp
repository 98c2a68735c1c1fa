// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the table from all families, and holds the rows without a rule. Also implements the helpers
// with which rules build ops.
#include "passes/autodiff/derivatives/Derivatives.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

namespace pcc::autodiff {

void addConstantDerivatives(DerivativeTable &table) {
  using namespace graph;
  table.zero<FloorOp, CeilOp, RoundOp, SignOp>("constant between its jumps");
  table.zero<CompareOp, AndOp, OrOp, NotOp>("a truth value or bits");
  table.zero<OneHotOp>("made of indices");
  table.zero<ConstantOp, IotaOp, RngUniformOp>("independent of every parameter");
  table.none<SgdOp, MomentumOp, AdamOp, AdamWeightDecayOp, LambOp, AdagradOp>(
      "an optimizer step is not part of a model");
}

const DerivativeTable &getDerivativeTable() {
  static const DerivativeTable table = [] {
    DerivativeTable filled;
    addArithmeticDerivatives(filled);
    addFunctionDerivatives(filled);
    addActivationDerivatives(filled);
    addShapeDerivatives(filled);
    addIndexingDerivatives(filled);
    addContractionDerivatives(filled);
    addWindowDerivatives(filled);
    addAttentionDerivatives(filled);
    addNormalizationDerivatives(filled);
    addReduceDerivatives(filled);
    addAlongAxisDerivatives(filled);
    addLossDerivatives(filled);
    addCollectiveDerivatives(filled);
    addExchangeDerivatives(filled);
    addConstantDerivatives(filled);
    return filled;
  }();
  return table;
}

using namespace mlir;
Value Backward::splat(Type type, double number) {
  return make<graph::ConstantOp>(cast<RankedTensorType>(type), number);
}

Value Backward::isIndex(Value indices, int64_t size) {
  Value isNotNegative = compare(graph::Direction::GE, indices, 0);
  if (!llvm::isIntN(getElementTypeOrSelf(indices.getType()).getIntOrFloatBitWidth(), size))
    return isNotNegative;
  return make<graph::AndOp>(isNotNegative, compare(graph::Direction::LT, indices, size));
}

Value Backward::castTo(Value value, Type elementType) {
  auto tensor = cast<RankedTensorType>(value.getType());
  if (tensor.getElementType() == elementType)
    return value;
  return make<graph::CastOp>(tensor.clone(elementType), value);
}

Value Backward::unreduce(Value value, ArrayRef<int64_t> reducedDims, ArrayRef<int64_t> shape) {
  auto kept = llvm::to_vector(
      llvm::make_filter_range(llvm::seq<int64_t>(0, shape.size()),
                              [&](int64_t dim) { return !llvm::is_contained(reducedDims, dim); }));
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return make<graph::BroadcastOp>(type, value, kept);
}

Value Backward::reduceInPlace(graph::ReduceOpKind kind, Value value, ArrayRef<int64_t> dims) {
  return unreduce(make<graph::ReduceOp>(kind, value, dims), dims, shapeOf(value));
}

Value Backward::repeat(Value scalar, ArrayRef<int64_t> shape) {
  return unreduce(scalar, llvm::to_vector(llvm::seq<int64_t>(0, shape.size())), shape);
}

} // namespace pcc::autodiff
