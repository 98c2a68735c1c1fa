// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of leaves.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// A splat is the same on every block; other constants are whole, and a reshard cuts them.
FactorRule ConstantOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims;
  FactorKind kind = isa<SplatElementsAttr>(getValue()) ? FactorKind::Parallel : FactorKind::Whole;
  for (int64_t size : getResult().getType().getShape())
    dims.push_back(rule.addDim(size, kind));
  rule.addResult(std::move(dims));
  return rule;
}

/// Blocks along the axis differ, so the axis is whole; all other dimensions repeat.
FactorRule IotaOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims;
  for (auto [index, size] : llvm::enumerate(getResult().getType().getShape()))
    dims.push_back(rule.addDim(size, int64_t(index) == int64_t(getAxis()) ? FactorKind::Whole
                                                                          : FactorKind::Parallel));
  rule.addResult(std::move(dims));
  return rule;
}

FactorRule RngUniformOp::getFactorRule() {
  FactorRule rule = FactorRule::pointwise(getIndex().getType().getShape(), 1);
  rule.addOperand({}); // the seed
  return rule;
}
