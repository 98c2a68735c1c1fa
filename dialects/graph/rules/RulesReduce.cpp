// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of reductions, and of other ops that read all elements along an axis.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Returns how the blocks of a split reduced dimension combine. Means combine by sums, because the
/// local form of a mean divides by the whole size.
static ReduceKind combines(ReduceOpKind kind) {
  switch (kind) {
  case ReduceOpKind::Sum:
  case ReduceOpKind::Mean:
    return ReduceKind::Sum;
  case ReduceOpKind::Max:
    return ReduceKind::Max;
  case ReduceOpKind::Min:
    return ReduceKind::Min;
  case ReduceOpKind::Prod:
    return ReduceKind::Prod;
  }
  llvm_unreachable("every kind is listed");
}

/// Products of floats need whole dimensions: the product of one block may be infinite and that of
/// another zero although the product of all is neither.
FactorRule ReduceOp::getFactorRule() {
  FactorRule rule;
  ReduceKind kind = combines(getKind());
  bool isWhole =
      getKind() == ReduceOpKind::Prod && isa<FloatType>(getInput().getType().getElementType());
  FactorKind combined = isWhole ? FactorKind::Whole : FactorKind::Reduce;
  TensorFactors input, result;
  for (auto [index, size] : llvm::enumerate(getInput().getType().getShape())) {
    bool reduced = llvm::is_contained(getDims(), int64_t(index));
    input.push_back(rule.addDim(size, reduced ? combined : FactorKind::Parallel, kind));
    if (!reduced)
      result.push_back(input.back());
  }
  rule.addOperand(std::move(input));
  rule.addResult(std::move(result));
  if (!isWhole)
    rule.addLinear(0, kind);
  return rule;
}

/// Returns the factors of `input` with dimension `axis` whole.
static TensorFactors wholeAlong(FactorRule &rule, ArrayRef<int64_t> input, int64_t axis) {
  TensorFactors dims;
  for (auto [dim, size] : llvm::enumerate(input))
    dims.push_back(
        rule.addDim(size, int64_t(dim) == axis ? FactorKind::Whole : FactorKind::Parallel));
  return dims;
}

static FactorRule argRule(ArrayRef<int64_t> input, int64_t axis) {
  FactorRule rule;
  TensorFactors dims = wholeAlong(rule, input, axis);
  rule.addOperand(dims);
  dims.erase(dims.begin() + axis);
  rule.addResult(std::move(dims));
  return rule;
}

FactorRule ArgmaxOp::getFactorRule() { return argRule(getInput().getType().getShape(), getAxis()); }
FactorRule ArgminOp::getFactorRule() { return argRule(getInput().getType().getShape(), getAxis()); }

FactorRule TopKOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims = wholeAlong(rule, getInput().getType().getShape(), getAxis());
  rule.addOperand(dims);
  dims[getAxis()] = rule.addDim(getValues().getType().getDimSize(getAxis()), FactorKind::Whole);
  rule.addResult(dims);
  rule.addResult(dims);
  return rule;
}

FactorRule CumsumOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims = wholeAlong(rule, getInput().getType().getShape(), getAxis());
  rule.addOperand(dims);
  rule.addResult(dims);
  rule.addLinear(0);
  return rule;
}
