// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result shapes of contractions.
#include "dialects/graph/EinsumEquation.h"
#include "dialects/graph/verify/Checks.h"

#include <map>

using namespace mlir;
using namespace pcc::graph;

/// Returns the sizes of a stored matrix operand as rows and columns of the matmul.
static std::pair<int64_t, int64_t> matrixSizes(ArrayRef<int64_t> shape, bool transposed) {
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  return transposed ? std::pair(columns, rows) : std::pair(rows, columns);
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto lhs = asTensor(report, adaptor.getLhs().getType());
  auto rhs = asTensor(report, adaptor.getRhs().getType());
  if (failed(lhs) || failed(rhs) || failed(checkElements(report, "lhs", *lhs, "rhs", *rhs))) // C1
    return failure();
  if (lhs->getRank() != rhs->getRank()) // C2
    return report.error("expected operands of equal rank, got ", lhs->getRank(), " and ",
                        rhs->getRank(), "; broadcast batch dimensions first");
  if (lhs->getRank() < 2) // C3
    return report.error("expected operands of rank 2 or more, got ", lhs->getRank());
  ArrayRef<int64_t> batch = lhs->getShape().drop_back(2);
  for (auto [index, left, right] : llvm::enumerate(batch, rhs->getShape().drop_back(2)))
    if (left != right) // C4
      return report.error("expected equal sizes of batch dimension ", index, ", got ", left,
                          " and ", right);
  bool transposeLhs(getAttr(adaptor, adaptor.getTransposeLhsAttr(), "transpose_lhs"));
  bool transposeRhs(getAttr(adaptor, adaptor.getTransposeRhsAttr(), "transpose_rhs"));
  auto [rows, leftDepth] = matrixSizes(lhs->getShape(), transposeLhs);
  auto [rightDepth, columns] = matrixSizes(rhs->getShape(), transposeRhs);
  if (leftDepth != rightDepth) // C5
    return report.error("expected equal contracted sizes, got ", leftDepth, " in 'lhs' and ",
                        rightDepth, " in 'rhs'");
  SmallVector<int64_t> shape(batch);
  shape.append({rows, columns});
  results.push_back(lhs->clone(shape));
  return success();
}

LogicalResult EinsumOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &results) {
  Reporter report{location, getOperationName()};
  auto lhs = asTensor(report, adaptor.getLhs().getType());
  auto rhs = asTensor(report, adaptor.getRhs().getType());
  if (failed(lhs) || failed(rhs) || failed(checkElements(report, "lhs", *lhs, "rhs", *rhs))) // C1
    return failure();
  StringAttr text = getAttr(adaptor, adaptor.getEquationAttr(), "equation");
  auto equation = EinsumEquation::parse(text ? text.getValue() : "");
  if (!equation) // C2
    return report.error("expected an 'equation' like \"bij,bjk->bik\" with every letter once in a "
                        "tensor, got ",
                        text);
  std::map<char, int64_t> sizes;
  for (auto [name, letters, type] :
       {std::tuple("lhs", equation->lhs, *lhs), {"rhs", equation->rhs, *rhs}}) {
    if (int64_t(letters.size()) != type.getRank()) // C3
      return report.error("expected ", type.getRank(), " letters for '", name, "', got ",
                          letters.size());
    for (auto [letter, size] : llvm::zip_equal(letters, type.getShape()))
      if (int64_t known = sizes.try_emplace(letter, size).first->second; known != size) // C4
        return report.error("expected equal sizes of '", std::string(1, letter), "', got ", known,
                            " and ", size);
  }
  SmallVector<int64_t> shape;
  for (char letter : equation->result)
    shape.push_back(sizes[letter]);
  results.push_back(lhs->clone(shape));
  return success();
}
