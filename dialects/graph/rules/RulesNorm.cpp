// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of normalizations and of dropout. Dimensions that share one mean, one variance or
// one sum are whole: blocks of them cannot be computed alone. A local form may split them
// nevertheless (passes/partition/forms).
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// Returns one factor for each dimension, whole if `isWhole` says so.
static TensorFactors addDims(FactorRule &rule, ArrayRef<int64_t> shape,
                             function_ref<bool(int64_t)> isWhole) {
  TensorFactors dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    dims.push_back(rule.addDim(size, isWhole(dim) ? FactorKind::Whole : FactorKind::Parallel));
  return dims;
}

/// Returns the rule from one tensor to another of its shape, with `axis` whole.
static FactorRule wholeAlong(int64_t axis, ArrayRef<int64_t> shape) {
  FactorRule rule;
  TensorFactors dims = addDims(rule, shape, [&](int64_t dim) { return dim == axis; });
  rule.addOperand(dims);
  rule.addResult(dims);
  return rule;
}

FactorRule SoftmaxOp::getFactorRule() {
  return wholeAlong(getAxis(), getInput().getType().getShape());
}

FactorRule LogSoftmaxOp::getFactorRule() {
  return wholeAlong(getAxis(), getInput().getType().getShape());
}

/// Returns a rule with the dimensions from `axis` on whole; the scale and the bias, `numAffine`
/// operands, have only these dimensions.
static FactorRule wholeFrom(int64_t axis, ArrayRef<int64_t> shape, unsigned numAffine) {
  FactorRule rule;
  TensorFactors dims = addDims(rule, shape, [&](int64_t dim) { return dim >= axis; });
  rule.addOperand(dims);
  for (unsigned index = 0; index < numAffine; ++index)
    rule.addOperand(TensorFactors(dims.begin() + axis, dims.end()));
  rule.addResult(std::move(dims));
  return rule;
}

FactorRule LayerNormOp::getFactorRule() {
  return wholeFrom(getAxis(), getInput().getType().getShape(), getBias() ? 2 : 1);
}

FactorRule RmsNormOp::getFactorRule() {
  return wholeFrom(getAxis(), getInput().getType().getShape(), 1);
}

/// A channel's statistics span all samples and positions, so these dimensions are whole.
FactorRule BatchNormOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims =
      addDims(rule, getInput().getType().getShape(), [](int64_t dim) { return dim != 1; });
  rule.addOperand(dims);
  for (unsigned index = 1; index < getNumOperands(); ++index)
    rule.addOperand({dims[1]});
  rule.addResult(dims);
  rule.addResult({dims[1]});
  rule.addResult({dims[1]});
  return rule;
}

FactorRule BatchNormInferenceOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims =
      addDims(rule, getInput().getType().getShape(), [](int64_t) { return false; });
  rule.addOperand(dims);
  for (unsigned index = 1; index < getNumOperands(); ++index)
    rule.addOperand({dims[1]});
  rule.addResult(std::move(dims));
  return rule;
}

FactorRule DropoutOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims =
      addDims(rule, getInput().getType().getShape(), [](int64_t) { return false; });
  rule.addOperand(dims);
  rule.addOperand(dims);
  rule.addOperand({});
  rule.addResult(std::move(dims));
  rule.addLinear(0);
  return rule;
}
