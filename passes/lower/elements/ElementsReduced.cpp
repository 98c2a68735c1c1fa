// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes elements of reductions and of matmuls without an instruction (of integers and f64)
// inside the kernel that needs them. There is one loop for each run of adjacent combined
// dimensions, so that the innermost loop reads adjacent elements.
#include "passes/lower/elements/Elements.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

SmallVector<SmallVector<int64_t, 4>> combinedRuns(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return {{shapeOf(matmul.getLhs()).drop_back(matmul.getTransposeLhs() ? 1 : 0).back()}};
  auto reduce = cast<ReduceOp>(op);
  SmallVector<SmallVector<int64_t, 4>> runs;
  int64_t previous = -2;
  for (int64_t dim : reduce.getDims()) {
    if (dim != previous + 1)
      runs.emplace_back();
    runs.back().push_back(shapeOf(reduce.getInput())[dim]);
    previous = dim;
  }
  return runs;
}

/// Emits one term of a matmul: row and column of the result, position `n` in the sum.
static Value emitMatmulTerm(Elements &elements, MatmulOp op, const Index &index, Value n) {
  IndexMath &math = elements.math;
  unsigned rank = op.getType().getRank();
  auto element = [&](Value matrix, unsigned keptDim, bool isLast) {
    Index position = math.range(index, 0, rank - 2);
    Value kept = math.at(index, keptDim);
    position.push_back({isLast ? kept : n, {shapeOf(matrix)[rank - 2]}});
    position.push_back({isLast ? n : kept, {shapeOf(matrix)[rank - 1]}});
    return elements.at(matrix, position);
  };
  Value lhs = element(op.getLhs(), rank - 2, !op.getTransposeLhs());
  Value rhs = element(op.getRhs(), rank - 1, op.getTransposeRhs());
  if (isa<FloatType>(lhs.getType()))
    return arith::MulFOp::create(elements.b, lhs, rhs, arith::FastMathFlags::contract);
  return arith::MulIOp::create(elements.b, lhs, rhs);
}

Value Elements::operandAt(Operation *op, const Index &index, const Index &combined) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return emitMatmulTerm(*this, matmul, index, math.at(combined, 0));
  auto reduce = cast<ReduceOp>(op);
  SmallVector<int64_t, 4> sizes;
  for (int64_t dim : reduce.getDims())
    sizes.push_back(shapeOf(reduce.getInput())[dim]);
  Index taken = math.regroup(combined, sizes), operand;
  unsigned kept = 0, gone = 0;
  // Runs of dimensions of the same kind keep their common position.
  for (unsigned dim = 0, rank = shapeOf(reduce.getInput()).size(); dim < rank;) {
    auto isCombined = [&](unsigned d) { return llvm::is_contained(reduce.getDims(), int64_t(d)); };
    unsigned end = dim + 1;
    while (end < rank && isCombined(end) == isCombined(dim))
      ++end;
    unsigned &next = isCombined(dim) ? gone : kept;
    operand.append(math.range(isCombined(dim) ? taken : index, next, next + end - dim));
    next += end - dim;
    dim = end;
  }
  return at(reduce.getInput(), operand);
}

/// Combines all elements of the runs after those for which `combined` holds positions.
static Value combineRuns(Elements &elements, Operation *op, const Index &index,
                         const Index &combined, Value accumulator) {
  auto runs = combinedRuns(op);
  if (combined.size() == runs.size())
    return elements.combine(op, accumulator, elements.operandAt(op, index, combined));
  Segment run{{}, runs[combined.size()]};
  IndexMath &math = elements.math;
  auto body = [&](Value n, ValueRange carried) -> SmallVector<Value> {
    Index longer = combined;
    longer.push_back({n, run.extents});
    return {combineRuns(elements, op, index, longer, carried[0])};
  };
  return emitLoop(elements.b, math.constant(0), math.constant(run.count()), {accumulator}, body)[0];
}

Value Elements::computeLoop(Operation *op, const Index &index) {
  return finish(op, combineRuns(*this, op, index, {}, neutral(op)));
}

} // namespace pcc::lower
