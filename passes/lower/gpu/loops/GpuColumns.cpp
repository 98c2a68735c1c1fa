// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits column kernels, which reduce outer dimensions, on a GPU. A block has adjacent columns, one
// or a few for each lane, and its warps share the rows.
//
//   warp 0   rows 0, 16, 32 …   lane 0: column 0   lane 1: column 1   …
//   warp 1   rows 1, 17, 33 …
//
// At the end the first warp combines the partial results of all warps for each column.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace pcc::lower {

namespace {
/// Maximum number of warps that share the rows of a column.
constexpr int64_t maxWarps = 16;

struct ColumnThreads {
  ColumnLoops loops;
  int64_t piece; ///< columns per lane: a warp reads some 128 bytes of a row
  int64_t warps = 1;
  int64_t blocksPerGroup;

  ColumnThreads(func::FuncOp kernel, const ColumnLoops &loops)
      : loops(loops), piece(std::max<int64_t>(1, elementsPerAccess(kernel, loops.columns) / 4)) {
    // At the end each thread leaves its sums in shared memory, at most eight bytes each.
    int64_t sums = llvm::range_size(kernel.getBody().front().getOps<graph::ReduceOp>()) * piece;
    while (warps < maxWarps && warps * 4 < loops.rows &&
           2 * warps * lanesPerWarp * sums * 8 <= maxSharedBytes)
      warps *= 2;
    blocksPerGroup = llvm::divideCeil(loops.columns, columnsPerBlock());
  }
  int64_t columnsPerBlock() const { return lanesPerWarp * piece; }
};

class ColumnEmitter {
public:
  ColumnEmitter(GpuKernel &kernel, const ColumnLoops &loops)
      : kernel(kernel.body), plan(this->kernel.function, loops), elements(this->kernel.elements),
        b(elements.b), math(elements.math),
        block(elements, kernel.shape.threads, kernel.shape.blocks),
        reductions(columnReductions(this->kernel)) {
    for (auto [n, result] : llvm::enumerate(this->kernel.results))
      (countOf(result) == loops.groups * loops.columns ? reduced : full).push_back(n);
  }
  void emit();

private:
  void findColumns();
  SmallVector<Value> emitRow(Value row, ValueRange sums);
  void emitReduced(ValueRange sums);
  Index reducedIndex(Value tensor, Value column) {
    return math.regroup({{group, {plan.loops.groups}}, {column, {plan.loops.columns}}},
                        shapeOf(tensor));
  }

  KernelBody &kernel;
  ColumnThreads plan;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  ThreadBlock block;
  SmallVector<Operation *> reductions;
  SmallVector<unsigned> full, reduced; ///< results by size
  Value group, isThere;                ///< null: always there
  SmallVector<Value> columns;          ///< columns of the thread
};
} // namespace

GridShape gridOfColumns(func::FuncOp kernel, const ColumnLoops &loops) {
  ColumnThreads plan(kernel, loops);
  return {loops.groups * plan.blocksPerGroup, plan.warps * lanesPerWarp};
}

/// Finds the columns of the thread. Lanes past the last column repeat its work, and store nothing.
void ColumnEmitter::findColumns() {
  bool isOne = plan.loops.groups == 1;
  group = isOne ? math.constant(0) : math.div(block.block(), plan.blocksPerGroup);
  Value inGroup = isOne ? block.block() : math.rem(block.block(), plan.blocksPerGroup);
  Value first =
      math.add(math.mul(inGroup, plan.columnsPerBlock()), math.mul(block.lane(), plan.piece));
  if (plan.loops.columns % plan.columnsPerBlock() != 0) {
    Value last = math.constant(plan.loops.columns - plan.piece);
    isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, first, last);
    first = arith::MinUIOp::create(b, first, last);
  }
  for (int64_t n = 0; n < plan.piece; ++n)
    columns.push_back(n == 0 ? first : math.add(first, math.constant(n)));
}

/// `sums`: for each reduction, the sums of all columns.
SmallVector<Value> ColumnEmitter::emitRow(Value row, ValueRange sums) {
  SmallVector<std::pair<Value, Value>> stored; // position, element; result by result
  for (unsigned n : full)
    for (Value column : columns) {
      Index position{{row, {plan.loops.rows}}, {column, {plan.loops.columns}}};
      stored.push_back(
          {math.linear(position),
           elements.at(kernel.results[n], math.regroup(position, shapeOf(kernel.results[n])))});
    }
  SmallVector<Value> next;
  for (auto [n, op] : llvm::enumerate(reductions))
    for (auto [c, column] : llvm::enumerate(columns)) {
      Value element = elements.operandAt(op, reducedIndex(op->getResult(0), column),
                                         {{row, {plan.loops.rows}}});
      next.push_back(elements.combine(op, sums[n * columns.size() + c], element));
    }
  if (!stored.empty())
    emitIf(b, isThere, [&] {
      for (auto [n, value] : llvm::enumerate(stored)) {
        unsigned result = full[n / columns.size()];
        elements.store(value.second, kernel.elementType(result), kernel.pointers[result],
                       value.first);
      }
    });
  return next;
}

void ColumnEmitter::emitReduced(ValueRange sums) {
  for (auto [c, column] : llvm::enumerate(columns)) {
    for (auto [n, op] : llvm::enumerate(reductions))
      elements.remember(op->getResult(0), reducedIndex(op->getResult(0), column),
                        elements.finish(op, sums[n * columns.size() + c]));
    Value position = math.add(math.mul(group, plan.loops.columns), column);
    SmallVector<Value> values;
    for (unsigned n : reduced)
      values.push_back(elements.at(kernel.results[n], reducedIndex(kernel.results[n], column)));
    for (auto [n, value] : llvm::zip_equal(reduced, values))
      elements.store(value, kernel.elementType(n), kernel.pointers[n], position);
  }
}

void ColumnEmitter::emit() {
  findColumns();
  SmallVector<Value> sums;
  SmallVector<Operation *> perSum;
  for (Operation *op : reductions)
    for (size_t c = 0; c < columns.size(); ++c) {
      sums.push_back(elements.neutral(op));
      perSum.push_back(op);
    }
  sums =
      emitStridedLoop(b, block.warp(), math.constant(plan.loops.rows), math.constant(plan.warps),
                      sums, [&](Value row, ValueRange carried) { return emitRow(row, carried); });
  sums = block.combineLanes(perSum, sums);
  Value isFirst = plan.warps == 1 ? Value()
                                  : arith::CmpIOp::create(b, arith::CmpIPredicate::eq, block.warp(),
                                                          math.constant(0));
  emitIf(b, emitBoth(b, isFirst, isThere), [&] { emitReduced(sums); });
}

void emitGpuColumns(GpuKernel &kernel, const ColumnLoops &loops) {
  ColumnEmitter(kernel, loops).emit();
}

} // namespace pcc::lower
