// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records for each matmul which dimensions of operands and results multiply to its four sizes.
// Sizes are evaluated later, on the shapes of one rank.
#include "passes/analysis/kernels/Matmuls.h"

#include "dialects/graph/EinsumEquation.h"
#include "dialects/graph/Graph.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::analysis {

using Dim = MatmulForm::Dim;
using Dims = MatmulForm::Dims;
using Forms = SmallVector<MatmulForm, 1>;

static double sizeOf(const Dim &dim, const OpShapes &shapes) {
  return double((dim.isResult ? shapes.results[dim.tensor] : shapes.operands[dim.tensor])[dim.dim]);
}

static double multiply(ArrayRef<Dim> dims, const OpShapes &shapes) {
  double product = 1;
  for (const Dim &each : dims)
    product *= sizeOf(each, shapes);
  return product;
}

machine::MatmulSize MatmulForm::at(const OpShapes &shapes) const {
  machine::MatmulSize product{multiply(batch, shapes), multiply(rows, shapes),
                              multiply(columns, shapes), multiply(depth, shapes)};
  if (!triangle.empty())
    product.batch *= machine::causalShare(sizeOf(triangle[0], shapes), sizeOf(triangle[1], shapes));
  return product;
}

static Dims operandDims(unsigned operand, ArrayRef<unsigned> dims) {
  Dims list;
  for (unsigned dim : dims)
    list.push_back({operand, dim});
  return list;
}

static Dims resultDims(ArrayRef<unsigned> dims) {
  Dims list;
  for (unsigned dim : dims)
    list.push_back({0, dim, /*isResult=*/true});
  return list;
}

static Forms listMatmul(graph::MatmulOp op) {
  unsigned rank = op.getType().getRank();
  Dims batch;
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    batch.push_back({0, dim, /*isResult=*/true});
  unsigned lhsRank = op.getLhs().getType().getRank();
  return {{batch, resultDims({rank - 2}), resultDims({rank - 1}),
           operandDims(0, {lhsRank - (op.getTransposeLhs() ? 2 : 1)})}};
}

/// Sorts the letters of an einsum. A letter of both operands and the result belongs to the batch,
/// and one that the result lacks is summed. The others belong to the operand that has them.
static Forms listEinsum(graph::EinsumOp op) {
  graph::EinsumEquation equation = *graph::EinsumEquation::parse(op.getEquation());
  Dims batch, rows, columns, depth;
  for (auto [dim, letter] : llvm::enumerate(equation.lhs)) {
    Dims &list = !equation.result.contains(letter) ? depth
                 : equation.rhs.contains(letter)   ? batch
                                                   : rows;
    list.push_back({0, unsigned(dim)});
  }
  for (auto [dim, letter] : llvm::enumerate(equation.rhs))
    if (!equation.lhs.contains(letter))
      (equation.result.contains(letter) ? columns : depth).push_back({1, unsigned(dim)});
  return {{batch, rows, columns, depth}};
}

/// Lists the matmuls of attention, with operands query, key, value, …; `isGradient`: the five
/// matmuls of the gradients.
static Forms listAttention(bool isCausal, bool isGradient) {
  Dims heads = operandDims(0, {0, 1}), queries = operandDims(0, {2}), keys = operandDims(2, {2});
  Dims width = operandDims(0, {3}), valueWidth = operandDims(2, {3});
  Forms forms = {{heads, queries, keys, width}};
  if (isGradient)
    forms.append({{heads, keys, valueWidth, queries},
                  {heads, queries, keys, valueWidth},
                  {heads, queries, width, keys},
                  {heads, keys, width, queries}});
  else
    forms.push_back({heads, queries, valueWidth, keys});
  if (isCausal)
    for (MatmulForm &form : forms)
      form.setCausal(queries.front(), keys.front());
  return forms;
}

SmallVector<MatmulForm, 1> listMatmuls(Operation *op) {
  return llvm::TypeSwitch<Operation *, Forms>(op)
      .Case([](graph::MatmulOp matmul) { return listMatmul(matmul); })
      .Case([](graph::EinsumOp einsum) { return listEinsum(einsum); })
      .Case([](graph::Conv2dOp) -> Forms {
        return {{{}, resultDims({0, 2, 3}), resultDims({1}), operandDims(1, {1, 2, 3})}};
      })
      .Case([](graph::Conv2dInputGradientOp) -> Forms {
        return {{{}, operandDims(0, {0, 2, 3}), operandDims(1, {1, 2, 3}), operandDims(0, {1})}};
      })
      .Case([](graph::Conv2dWeightGradientOp) -> Forms {
        return {{{}, resultDims({0}), resultDims({1, 2, 3}), operandDims(1, {0, 2, 3})}};
      })
      .Case([](graph::AttentionOp attention) {
        return listAttention(attention.getCausal(), /*isGradient=*/false);
      })
      .Case([](graph::AttentionGradientOp attention) {
        return listAttention(attention.getCausal(), /*isGradient=*/true);
      })
      .Default([](Operation *) { return Forms(); });
}

} // namespace pcc::analysis
