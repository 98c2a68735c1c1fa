// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits column kernels: reductions over rows for blocks of columns. Rows run in order. The
// accumulators of a block lie on the stack and in vector registers. Full results are stored on the
// way, so a bias gradient needs no pass of its own over the gradient of the activation. A reduction
// over dimensions in the middle has groups of columns, one group for each position before these
// dimensions.
#include "passes/lower/host/loops/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/kernels/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

/// Returns the number of reduction results that are adjacent in all rows.
static int64_t countAdjacent(ReduceOp op) {
  int64_t count = 1;
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    if (shape[dim] > 1 && llvm::is_contained(op.getDims(), dim))
      break;
    count *= shape[dim];
  }
  return count;
}

std::optional<ColumnLoops> columnLoops(func::FuncOp kernel, task::FormAttr form) {
  int64_t outer = form.getOuter(), inner = form.getInner();
  if (form.getKind() == task::FormKind::Columns)
    return ColumnLoops{1, outer, inner};
  if (form.getKind() != task::FormKind::Rows)
    return std::nullopt;
  Block &body = kernel.getBody().front();
  bool hasFull = llvm::any_of(body.getTerminator()->getOperands(),
                              [&](Value result) { return countOf(result) != outer; });
  int64_t columns = hasFull ? 1 : outer, numReductions = 0;
  for (auto op : body.getOps<ReduceOp>()) {
    if (analysis::isView(op))
      continue;
    columns = analysis::getReductionLoops(op).contiguous ? 1 : std::min(columns, countAdjacent(op));
    ++numReductions;
  }
  if (numReductions == 0 || columns == 1)
    return std::nullopt;
  return ColumnLoops{outer / columns, inner, columns};
}

SmallVector<Operation *> columnReductions(const KernelBody &kernel) {
  SmallVector<Operation *> reductions;
  for (Operation &op : kernel.function->getRegion(0).front().without_terminator()) {
    if (!isa<ReduceOp>(op) || analysis::isView(&op))
      continue;
    analysis::ReductionLoops own = analysis::getReductionLoops(&op);
    if (own.kind == kernel.form.getKind() && own.outer == kernel.form.getOuter() &&
        own.inner == kernel.form.getInner())
      reductions.push_back(&op);
  }
  return reductions;
}

namespace {
class ColumnEmitter {
public:
  ColumnEmitter(KernelBody &kernel, const ColumnLoops &loops)
      : kernel(kernel), loops(loops), elements(kernel.elements), b(kernel.builder()),
        math(kernel.math()), width(columnIterations(kernel.function, loops).size),
        reductions(columnReductions(kernel)) {
    for (auto [n, result] : llvm::enumerate(kernel.results))
      (countOf(result) == loops.groups * loops.columns ? reduced : full).push_back(n);
    allocateAccumulators();
  }
  void emitBlock(Value block);

private:
  void allocateAccumulators();
  SmallVector<int64_t> rowSizes() const;
  void emitColumns(function_ref<void(const Index &column, Value local)> body);
  void emitElement(const Index &row, const Index &column, Value local);
  void emitReduced(const Index &column, Value local);
  Type accumulatorType(Operation *op) { return elements.accumulatorType(op); }
  Index reducedIndex(Value tensor, const Index &column) {
    Index index = {{group, {loops.groups}}};
    index.append(column);
    return math.regroup(index, shapeOf(tensor));
  }

  KernelBody &kernel;
  const ColumnLoops loops;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  int64_t width; ///< columns per block
  Value group;   ///< group of the block
  Value number;  ///< index of the block in its group
  SmallVector<Operation *> reductions;
  SmallVector<unsigned> full, reduced; ///< results by size
  SmallVector<Value> accumulators;     ///< one row of `width` elements per reduction
};
} // namespace

void ColumnEmitter::allocateAccumulators() {
  OpBuilder::InsertionGuard guard(b);
  Value length = math.constant(width);
  b.setInsertionPointAfterValue(length);
  for (Operation *op : reductions)
    accumulators.push_back(LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                                  accumulatorType(op), length, /*alignment=*/64));
}

/// Returns the sizes of the nested loops over rows: one loop if no op distinguishes dimensions of
/// the rows.
SmallVector<int64_t> ColumnEmitter::rowSizes() const {
  if (kernel.form.getKind() == task::FormKind::Columns)
    return loopSizes(kernel.function, loops.rows * loops.columns, loops.rows, loops.columns);
  SmallVector<int64_t> sizes;
  for (ArrayRef<int64_t> run : combinedRuns(reductions.front()))
    sizes.push_back(llvm::accumulate(run, int64_t(1), std::multiplies<>()));
  return sizes;
}

/// Emits loops over the block's columns. A block of full width has a loop for each dimension that
/// an op distinguishes. A block that may be narrower has a single loop.
void ColumnEmitter::emitColumns(function_ref<void(const Index &column, Value local)> body) {
  if (loops.columns % width == 0) {
    int64_t elements = loops.groups * loops.rows * loops.columns, blocks = loops.columns / width;
    SmallVector<int64_t> sizes = loopSizes(kernel.function, elements, width, 1);
    return emitNest(kernel, sizes, {{number, {blocks}}}, [&](const Index &column) {
      body(column, math.linear(ArrayRef(column).drop_front()));
    });
  }
  Value first = math.mul(number, width);
  Value rest = arith::SubIOp::create(b, math.constant(loops.columns), first);
  Value count = arith::MinSIOp::create(b, rest, math.constant(width));
  emitLoop(b, math.constant(0), count,
           [&](Value local) { body({{math.add(first, local), {loops.columns}}}, local); });
}

void ColumnEmitter::emitElement(const Index &row, const Index &column, Value local) {
  Index position = row; // within one group
  position.append(column);
  SmallVector<Value> stored, sums;
  for (unsigned n : full)
    stored.push_back(
        elements.at(kernel.results[n], math.regroup(position, shapeOf(kernel.results[n]))));
  for (auto [op, accumulator] : llvm::zip_equal(reductions, accumulators)) {
    Value before = elements.load(accumulatorType(op), accumulator, local);
    Value element = elements.operandAt(op, reducedIndex(op->getResult(0), column), row);
    sums.push_back(elements.combine(op, before, element));
  }
  for (auto [n, element] : llvm::zip_equal(full, stored))
    elements.store(element, kernel.elementType(n), kernel.pointers[n], math.linear(position));
  for (auto [op, accumulator, sum] : llvm::zip_equal(reductions, accumulators, sums))
    elements.store(sum, accumulatorType(op), accumulator, local);
}

/// Stores results from the complete sums. The sums cannot be recomputed, because results may have
/// overwritten the operands.
void ColumnEmitter::emitReduced(const Index &column, Value local) {
  for (auto [op, accumulator] : llvm::zip_equal(reductions, accumulators)) {
    Value sum = elements.load(accumulatorType(op), accumulator, local);
    elements.remember(op->getResult(0), reducedIndex(op->getResult(0), column),
                      elements.finish(op, sum));
  }
  SmallVector<Value> values;
  for (unsigned n : reduced)
    values.push_back(elements.at(kernel.results[n], reducedIndex(kernel.results[n], column)));
  Value position = math.add(math.mul(group, loops.columns), math.linear(column));
  for (auto [n, value] : llvm::zip_equal(reduced, values))
    elements.store(value, kernel.elementType(n), kernel.pointers[n], position);
}

void ColumnEmitter::emitBlock(Value block) {
  int64_t blocks = llvm::divideCeil(loops.columns, width);
  group = loops.groups == 1 ? math.constant(0) : math.div(block, blocks);
  number = loops.groups == 1 ? block : math.rem(block, blocks);
  emitColumns([&](const Index &, Value local) {
    for (auto [op, accumulator] : llvm::zip_equal(reductions, accumulators))
      elements.store(elements.neutral(op), accumulatorType(op), accumulator, local);
  });
  emitNest(kernel, rowSizes(), {}, [&](const Index &row) {
    emitColumns([&](const Index &column, Value local) { emitElement(row, column, local); });
  });
  emitColumns([&](const Index &column, Value local) { emitReduced(column, local); });
}

/// Returns the number of columns in a block. Blocks are whole vectors. A width that divides the row
/// gives loops of constant length, and a large width reads longer runs: in narrower blocks a GPT's
/// gelu and bias gradients take half as long again. Where no such width divides the row, a block is
/// one run of the innermost loop, so that no position has to be divided.
static int64_t findBlockWidth(func::FuncOp kernel, const ColumnLoops &loops) {
  constexpr int64_t maxWhole = 128, minWidth = 32, maxWidth = 256, otherwise = 64;
  if (loops.columns <= maxWhole)
    return loops.columns;
  for (int64_t divisor : {maxWidth, int64_t(128), int64_t(96), int64_t(64), int64_t(48), minWidth})
    if (loops.columns % divisor == 0)
      return divisor;
  int64_t elements = loops.groups * loops.rows * loops.columns;
  int64_t innermost = loopSizes(kernel, elements, loops.columns, 1).back();
  return minWidth <= innermost && innermost <= maxWidth ? innermost : otherwise;
}

Iterations columnIterations(func::FuncOp kernel, const ColumnLoops &loops) {
  int64_t width = findBlockWidth(kernel, loops);
  return {loops.groups * int64_t(llvm::divideCeil(loops.columns, width)), width};
}

void emitColumns(KernelBody &kernel, const ColumnLoops &loops, Value begin, Value end) {
  ColumnEmitter emitter(kernel, loops);
  emitLoop(kernel.builder(), begin, end, [&](Value block) { emitter.emitBlock(block); });
}

} // namespace pcc::lower
