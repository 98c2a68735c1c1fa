// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Column kernels: reductions over rows for blocks of columns. Rows run in order, the accumulators
// of a block lie on the stack and in vector registers; full results are stored on the way, so that
// a bias gradient costs no pass of its own over the gradient of the activation.
#include "passes/lower/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/facts/Kernels.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
class ColumnEmitter {
public:
  explicit ColumnEmitter(KernelBody &kernel)
      : kernel(kernel), elements(kernel.elements), b(kernel.builder()), math(kernel.math()),
        outer(kernel.form.getOuter()), inner(kernel.form.getInner()),
        width(iterationsOf(kernel.function, kernel.form).size) {
    for (Operation &op : kernel.function.getBody().front().without_terminator())
      if (isColumnReduction(&op))
        reductions.push_back(&op);
    for (auto [n, result] : llvm::enumerate(kernel.results))
      (countOf(result) == outer * inner ? full : reduced).push_back(n);
    allocateAccumulators();
  }
  void emitBlock(Value block);

private:
  bool isColumnReduction(Operation *op) const {
    if (!isa<ReduceOp>(op) || facts::isView(op))
      return false;
    facts::ReductionLoops loops = facts::getReductionLoops(op);
    return loops.kind == task::FormKind::Columns && loops.outer == outer && loops.inner == inner;
  }
  void allocateAccumulators();
  void emitElement(Value row, Value column, Value local);
  void emitReduced(Value column, Value local);
  Type accumulatorType(Operation *op) {
    return computeType(getElementTypeOrSelf(op->getResult(0).getType()));
  }
  Index fullIndex(Value tensor, Value row, Value column) {
    return math.regroup({{row, {outer}}, {column, {inner}}}, shapeOf(tensor));
  }
  Index columnIndex(Value tensor, Value column) {
    return math.regroup({{column, {inner}}}, shapeOf(tensor));
  }

  KernelBody &kernel;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  int64_t outer, inner, width;
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

void ColumnEmitter::emitElement(Value row, Value column, Value local) {
  Elements::Scope scope(elements);
  SmallVector<Value> stored, sums;
  for (unsigned n : full)
    stored.push_back(elements.at(kernel.results[n], fullIndex(kernel.results[n], row, column)));
  for (auto [op, accumulator] : llvm::zip_equal(reductions, accumulators)) {
    Value operand = op->getOperand(0);
    Value before = elements.load(accumulatorType(op), accumulator, local);
    sums.push_back(
        elements.combine(op, before, elements.at(operand, fullIndex(operand, row, column))));
  }
  Value position = math.add(math.mul(row, inner), column);
  for (auto [n, element] : llvm::zip_equal(full, stored))
    elements.store(element, kernel.elementType(n), kernel.pointers[n], position);
  for (auto [op, accumulator, sum] : llvm::zip_equal(reductions, accumulators, sums))
    elements.store(sum, accumulatorType(op), accumulator, local);
}

void ColumnEmitter::emitReduced(Value column, Value local) {
  Elements::Scope scope(elements);
  for (auto [op, accumulator] : llvm::zip_equal(reductions, accumulators)) {
    Value sum = elements.load(accumulatorType(op), accumulator, local);
    elements.remember(op->getResult(0), columnIndex(op->getResult(0), column),
                      elements.finish(op, sum));
  }
  SmallVector<Value> values;
  for (unsigned n : reduced)
    values.push_back(elements.at(kernel.results[n], columnIndex(kernel.results[n], column)));
  for (auto [n, value] : llvm::zip_equal(reduced, values))
    elements.store(value, kernel.elementType(n), kernel.pointers[n], column);
}

void ColumnEmitter::emitBlock(Value block) {
  Value zero = math.constant(0), first = math.mul(block, width), count = math.constant(width);
  if (inner % width != 0) {
    Value rest = arith::SubIOp::create(b, math.constant(inner), first);
    count = arith::MinSIOp::create(b, rest, count);
  }
  emitLoop(b, zero, count, [&](Value local) {
    for (auto [op, accumulator] : llvm::zip_equal(reductions, accumulators))
      elements.store(elements.neutral(op), accumulatorType(op), accumulator, local);
  });
  emitLoop(b, zero, math.constant(outer), [&](Value row) {
    Elements::Scope scope(elements);
    emitLoop(b, zero, count, [&](Value local) { emitElement(row, math.add(first, local), local); });
  });
  emitLoop(b, zero, count, [&](Value local) { emitReduced(math.add(first, local), local); });
}

void emitColumns(KernelBody &kernel, Value begin, Value end) {
  ColumnEmitter emitter(kernel);
  emitLoop(kernel.builder(), begin, end, [&](Value block) {
    Elements::Scope scope(kernel.elements);
    emitter.emitBlock(block);
  });
}

} // namespace pcc::lower
