// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of reshape, transpose and broadcast, which change the shape but not along one axis.
#include "dialects/graph/Graph.h"
#include "dialects/graph/rules/ReshapeFactors.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

FactorRule ReshapeOp::getFactorRule() {
  FactorRule rule = matchReshape(getInput().getType().getShape(), getResult().getType().getShape());
  rule.addLinearAnyKind(0);
  return rule;
}

FactorRule TransposeOp::getFactorRule() {
  FactorRule rule;
  TensorFactors input, result;
  for (int64_t size : getInput().getType().getShape())
    input.push_back(rule.addDim(size));
  for (int64_t dim : getPermutation())
    result.push_back(input[dim]);
  rule.addOperand(std::move(input));
  rule.addResult(std::move(result));
  rule.addLinearAnyKind(0);
  return rule;
}

/// Repeated dimensions are factors of the result alone.
FactorRule BroadcastOp::getFactorRule() {
  FactorRule rule;
  TensorFactors result;
  for (int64_t size : getResult().getType().getShape())
    result.push_back(rule.addDim(size));
  TensorFactors input;
  for (auto [size, dim] : llvm::zip_equal(getInput().getType().getShape(), getDims()))
    input.push_back(size == 1 ? DimFactors() : result[dim]);
  rule.addOperand(std::move(input));
  rule.addResult(std::move(result));
  rule.addLinearAnyKind(0);
  return rule;
}
