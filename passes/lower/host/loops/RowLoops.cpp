// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits row kernels: reductions over the inner positions of a row, one loop nest over the row per
// level (RowLevels.h). An expensive value that several loops need, such as the exponential of a
// softmax, is stored in a scratch row on the stack.
#include "passes/lower/host/loops/RowLevels.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

/// Maximum length of a scratch row, in elements.
static constexpr int64_t maxScratch = 4096;

static Type scratchType(Value tensor) {
  return computeType(getElementTypeOrSelf(tensor.getType()));
}

/// Returns true if computing the op again costs more than reading its value.
static bool isExpensive(Operation *op) {
  return isa<ExpOp, LogOp, Log1pOp, TanhOp, SigmoidOp, ErfOp, GeluOp, SiluOp, SoftplusOp, EluOp,
             SinOp, CosOp, PowOp, DivOp, MaxPoolOp, AvgPoolOp, Conv2dOp, Conv2dInputGradientOp,
             Conv2dWeightGradientOp>(op) &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
}

namespace {
struct Level : RowLevel {
  SmallVector<Value> kept; ///< values stored in scratch rows
};

class RowEmitter {
public:
  explicit RowEmitter(KernelBody &kernel)
      : kernel(kernel), b(kernel.builder()), math(kernel.math()), outer(kernel.form.getOuter()),
        inner(kernel.form.getInner()) {
    for (RowLevel &level : findRowLevels(kernel))
      levels.push_back({std::move(level), {}});
    columns = loopSizes(kernel.function, outer * inner, inner, 1);
    findScratch();
  }
  void emitRow(Value row);

private:
  void findScratch();
  void emitLevel(Level &level, Value row);
  /// Returns the index in a value of all elements. `column` has a position for each loop over the
  /// row.
  Index fullIndex(Value tensor, Value row, const Index &column) {
    Index index = {{row, {outer}}};
    index.append(column);
    return math.regroup(index, shapeOf(tensor));
  }
  Index rowIndex(Value tensor, Value row) { return rowIndexOf(kernel, tensor, row); }

  KernelBody &kernel;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  int64_t outer, inner;
  SmallVector<int64_t> columns; ///< sizes of the nested loops over a row
  SmallVector<Level> levels;
  llvm::MapVector<Value, Value> scratch; ///< value → row in memory
  llvm::DenseSet<Value> written;
};
} // namespace

/// Allocates scratch rows for expensive values that more than one level needs.
void RowEmitter::findScratch() {
  if (inner > maxScratch)
    return;
  llvm::MapVector<Value, llvm::SmallDenseSet<unsigned>> usedIn;
  for (auto [number, level] : llvm::enumerate(levels)) {
    SmallVector<Value> work;
    for (Operation *op : level.reductions)
      work.push_back(op->getOperand(0));
    for (unsigned n : level.results)
      work.push_back(kernel.results[n]);
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || isRowReduction(op, kernel.form) || !seen.insert(value).second)
        continue;
      if (isExpensive(op) && countOf(value) == outer * inner)
        usedIn[value].insert(number);
      work.append(op->operand_begin(), op->operand_end());
    }
  }
  for (auto &[value, numbers] : usedIn) {
    if (numbers.size() < 2)
      continue;
    OpBuilder::InsertionGuard guard(b);
    Value length = math.constant(inner);
    b.setInsertionPointAfterValue(length);
    scratch[value] = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                            scratchType(value), length, /*alignment=*/64);
    levels[*std::min_element(numbers.begin(), numbers.end())].kept.push_back(value);
  }
}

void RowEmitter::emitLevel(Level &level, Value row) {
  Elements &elements = kernel.elements;
  SmallVector<Value> initial;
  for (Operation *op : level.reductions)
    initial.push_back(elements.neutral(op));

  auto body = [&](const Index &column, ValueRange carried) {
    Value inRow = math.linear(column);
    for (Value value : written)
      elements.remember(value, fullIndex(value, row, column),
                        elements.load(scratchType(value), scratch[value], inRow));
    SmallVector<Value> next, kept, stored;
    for (Value value : level.kept)
      kept.push_back(elements.at(value, fullIndex(value, row, column)));
    for (auto [op, accumulator] : llvm::zip_equal(level.reductions, carried)) {
      Value operand = op->getOperand(0);
      next.push_back(
          elements.combine(op, accumulator, elements.at(operand, fullIndex(operand, row, column))));
    }
    for (unsigned n : level.results)
      stored.push_back(elements.at(kernel.results[n], fullIndex(kernel.results[n], row, column)));
    for (auto [value, element] : llvm::zip_equal(level.kept, kept))
      elements.store(element, element.getType(), scratch[value], inRow);
    Value position = math.add(math.mul(row, inner), inRow);
    for (auto [n, element] : llvm::zip_equal(level.results, stored))
      elements.store(element, kernel.elementType(n), kernel.pointers[n], position);
    return next;
  };
  SmallVector<Value> sums = emitNest(kernel, columns, {}, initial, body);
  for (auto [op, sum] : llvm::zip_equal(level.reductions, sums))
    elements.remember(op->getResult(0), rowIndex(op->getResult(0), row), elements.finish(op, sum));
  written.insert(level.kept.begin(), level.kept.end());
}

void RowEmitter::emitRow(Value row) {
  written.clear();
  for (Level &level : levels)
    if (!level.reductions.empty() || !level.results.empty() || !level.kept.empty())
      emitLevel(level, row);
  for (auto [n, result] : llvm::enumerate(kernel.results))
    if (countOf(result) == outer) {
      Value element = kernel.elements.at(result, rowIndex(result, row));
      kernel.elements.store(element, kernel.elementType(n), kernel.pointers[n], row);
    }
}

Iterations rowIterations(task::FormAttr form) {
  return cutIntoIterations(form.getOuter(),
                           std::max<int64_t>(1, elementsPerIteration / form.getInner()));
}

void emitRows(KernelBody &kernel, Value begin, Value end) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  int64_t size = rowIterations(kernel.form).size;
  Value from = math.mul(begin, size);
  Value to = arith::MinSIOp::create(b, math.mul(end, size), math.constant(kernel.form.getOuter()));
  RowEmitter emitter(kernel);
  emitLoop(b, from, to, [&](Value row) { emitter.emitRow(row); });
}

} // namespace pcc::lower
