// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of contractions, reductions, normal forms and losses.
#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// ([i,j,l],[i,l,k]) -> ([i,j,k]) {reduce l: sum} {linear: (0) (1)}. The factors are in the order
/// of the device matrix, batch, rows, depth, columns; the depth has the last letter nevertheless.
FactorRule MatmulOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> result = getResult().getType().getShape();
  TensorFactors batch;
  for (int64_t size : result.drop_back(2))
    batch.push_back(rule.addDim(size));
  DimFactors rows = rule.addDim(result[result.size() - 2]);
  ArrayRef<int64_t> lhs = getLhs().getType().getShape();
  DimFactors depth = rule.addDim(lhs[lhs.size() - (getTransposeLhs() ? 2 : 1)], FactorKind::Reduce);
  DimFactors columns = rule.addDim(result.back());
  if (!depth.empty() && !columns.empty())
    std::swap(rule.getFactor(depth.front()).name, rule.getFactor(columns.front()).name);
  auto matrix = [&](DimFactors first, DimFactors second, bool transposed) {
    if (transposed)
      std::swap(first, second);
    TensorFactors dims = batch;
    dims.append({std::move(first), std::move(second)});
    return dims;
  };
  rule.addOperand(matrix(rows, depth, getTransposeLhs()));
  rule.addOperand(matrix(depth, columns, getTransposeRhs()));
  rule.addResult(matrix(rows, columns, false));
  rule.addLinear(0);
  rule.addLinear(1);
  return rule;
}

/// How the blocks of a split reduced dimension combine. The mean of equal blocks is the sum of
/// their means over the number of blocks; its local form divides by the whole size.
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

FactorRule ReduceOp::getFactorRule() {
  FactorRule rule;
  ReduceKind kind = combines(getKind());
  TensorFactors input, result;
  for (auto [index, size] : llvm::enumerate(getInput().getType().getShape())) {
    bool reduced = llvm::is_contained(getDims(), int64_t(index));
    input.push_back(rule.addDim(size, reduced ? FactorKind::Reduce : FactorKind::Parallel, kind));
    if (!reduced)
      result.push_back(input.back());
  }
  rule.addOperand(std::move(input));
  rule.addResult(std::move(result));
  rule.addLinear(0, kind);
  return rule;
}

FactorRule SoftmaxOp::getFactorRule() {
  FactorRule rule;
  TensorFactors dims;
  for (auto [index, size] : llvm::enumerate(getInput().getType().getShape()))
    dims.push_back(rule.addDim(size, int64_t(index) == int64_t(getAxis()) ? FactorKind::Whole
                                                                          : FactorKind::Parallel));
  rule.addOperand(dims);
  rule.addResult(dims);
  return rule;
}

/// Samples add up (a mean's local form divides by the count of all samples), classes are whole.
FactorRule SoftmaxCrossEntropyOp::getFactorRule() {
  FactorRule rule;
  ArrayRef<int64_t> shape = getLogits().getType().getShape();
  TensorFactors samples;
  for (int64_t size : shape.drop_back())
    samples.push_back(rule.addDim(size, FactorKind::Reduce));
  TensorFactors logits = samples;
  logits.push_back(rule.addDim(shape.back(), FactorKind::Whole));
  bool dense = getLabels().getType().getRank() == int64_t(shape.size());
  rule.addOperand(logits);
  rule.addOperand(dense ? logits : samples);
  rule.addResult({});
  return rule;
}
