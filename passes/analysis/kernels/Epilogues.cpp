// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches these patterns by shapes and positions of dimensions, through views.
#include "passes/analysis/kernels/Epilogues.h"

#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::analysis {

bool liesInMemory(Value value) {
  Operation *source = viewRoot(value).getDefiningOp();
  return !source || !isRecomputed(source);
}

bool isBias(Value value, int64_t dim) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || !isRecomputed(broadcast))
    return false;
  ArrayRef<int64_t> input = broadcast.getInput().getType().getShape();
  ArrayRef<int64_t> result = broadcast.getResult().getType().getShape();
  if (!liesInMemory(broadcast.getInput()) ||
      broadcast.getInput().getType().getNumElements() != result[dim])
    return false;
  auto position = llvm::find(broadcast.getDims(), dim);
  return position != broadcast.getDims().end() &&
         input[position - broadcast.getDims().begin()] == result[dim];
}

/// Returns true if the op sums the rows of its operand, seen as a matrix of `columns` columns.
static bool sumsRows(ReduceOp op, int64_t columns) {
  ArrayRef<int64_t> dims = op.getDims();
  return op.getKind() == ReduceOpKind::Sum && !op.getCrossBatch() &&
         llvm::equal(dims, llvm::seq<int64_t>(0, dims.size())) &&
         llvm::product_of(op.getInput().getType().getShape().drop_front(dims.size())) == columns;
}

std::optional<unsigned> factorSummedBy(ReduceOp sum, MatmulOp product) {
  if (product.getType().getRank() != 2 ||
      sum.getType().getElementType() != product.getType().getElementType())
    return std::nullopt;
  Value summed = viewRoot(sum.getInput());
  bool isAlongK[] = {product.getTransposeLhs(), !product.getTransposeRhs()};
  for (unsigned n : {0, 1}) {
    auto factor = cast<TypedValue<RankedTensorType>>(product->getOperand(n));
    if (isAlongK[n] && viewRoot(factor) == summed && sumsRows(sum, factor.getType().getShape()[1]))
      return n;
  }
  return std::nullopt;
}

Operation *onlyReader(Value value) {
  return value.hasOneUse() ? *value.getUsers().begin() : nullptr;
}

} // namespace pcc::analysis
