// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factor rules of contractions.
#include "dialects/graph/EinsumEquation.h"
#include "dialects/graph/Graph.h"

#include <map>

using namespace mlir;
using namespace pcc;
using namespace pcc::graph;

/// The rule is ([i,j,l],[i,l,k]) -> ([i,j,k]) {reduce l: sum} {linear: (0) (1)}. The factors are in
/// the order of the device matrix: batch, rows, depth, columns. The depth nevertheless has the last
/// letter.
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

/// One factor for each letter, in the order of the device matrix: the dimensions of the left
/// operand, then those that only the right one has, as in a matmul.
FactorRule EinsumOp::getFactorRule() {
  FactorRule rule;
  EinsumEquation equation = *EinsumEquation::parse(getEquation());
  std::map<char, DimFactors> factors;
  auto factorsOf = [&](StringRef letters, ArrayRef<int64_t> shape) {
    TensorFactors dims;
    for (auto [letter, size] : llvm::zip_equal(letters, shape)) {
      auto [factor, isNew] = factors.try_emplace(letter);
      if (isNew)
        factor->second = rule.addDim(size, equation.result.contains(letter) ? FactorKind::Parallel
                                                                            : FactorKind::Reduce);
      dims.push_back(factor->second);
    }
    return dims;
  };
  rule.addOperand(factorsOf(equation.lhs, getLhs().getType().getShape()));
  rule.addOperand(factorsOf(equation.rhs, getRhs().getType().getShape()));
  rule.addResult(factorsOf(equation.result, getResult().getType().getShape()));
  rule.addLinear(0);
  rule.addLinear(1);
  return rule;
}
