// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits row kernels, which reduce inner dimensions, on a GPU. A warp has a row of up to about 1,024
// elements, a block a longer one.
//
//   lane       0   1   2  …  31   0   1   2  …  31        pieces of a row
//   iteration  0   0   0      0   1   1   1      1
//
// A piece has the elements of one access (elementsPerAccess), or fewer if the row is too short to
// give each lane a piece.
//
// If a thread's elements fit into its registers, they are computed once and kept from level to
// level (RowLevels.h). For a longer row, each level reads and computes again whatever it needs.
#include "passes/lower/gpu/loops/GpuLoops.h"
#include "passes/lower/host/loops/RowLevels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace pcc::lower {

namespace {
/// Assignment of threads to rows, and of a row's pieces to threads.
struct RowThreads {
  int64_t outer, inner;
  int64_t piece;
  int64_t pieces; ///< pieces per row
  int64_t threads = lanesPerWarp;
  int64_t rowsPerBlock = defaultBlockThreads / lanesPerWarp;

  RowThreads(func::FuncOp kernel, task::FormAttr form)
      : outer(form.getOuter()), inner(form.getInner()), piece(elementsPerAccess(kernel, inner)) {
    // Little work for all lanes is better than much work for some.
    while (piece > 1 && inner < piece * lanesPerWarp)
      piece /= 2;
    pieces = inner / piece;
    while (threads < maxThreads && iterations() * piece > maxRegisterElements)
      threads *= 2;
    if (threads > lanesPerWarp)
      rowsPerBlock = 1;
  }
  int64_t iterations() const { return llvm::divideCeil(pieces, threads); }
  bool fitsRegisters() const { return iterations() * piece <= maxRegisterElements; }
};

class RowEmitter {
public:
  explicit RowEmitter(GpuKernel &kernel)
      : kernel(kernel.body), plan(this->kernel.function, this->kernel.form),
        elements(this->kernel.elements), b(elements.b), math(elements.math),
        block(elements, kernel.shape.threads, kernel.shape.blocks) {}
  void emit();

private:
  /// One piece of the row.
  struct Piece {
    SmallVector<Value> columns;
    Value inBounds; ///< null: always
  };
  void findRow();
  void keepPieces();
  Piece pieceAt(Value number);
  SmallVector<Value> combine(const RowLevel &level, const Piece &piece, ValueRange sums);
  void store(const RowLevel &level, const Piece &piece);
  void emitLevel(const RowLevel &level);
  void storeRowResults();

  KernelBody &kernel;
  RowThreads plan;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  ThreadBlock block;
  Value row, rowInBounds, thread; ///< `thread`: index among the threads of its row
  /// Pieces of all iterations, if they fit into registers. Holds only indices; values are kept by
  /// the cache of `elements`.
  SmallVector<Piece> kept;
};
} // namespace

GridShape gridOfRows(func::FuncOp kernel, task::FormAttr form) {
  RowThreads plan(kernel, form);
  return {int64_t(llvm::divideCeil(plan.outer, plan.rowsPerBlock)),
          plan.threads * plan.rowsPerBlock};
}

/// Finds the row of the thread. Warps past the last row repeat its work, and store nothing.
void RowEmitter::findRow() {
  row = block.block();
  thread = block.thread();
  if (plan.rowsPerBlock == 1)
    return;
  row = math.add(math.mul(row, plan.rowsPerBlock), block.warp());
  thread = block.lane();
  if (plan.outer % plan.rowsPerBlock == 0)
    return;
  Value last = math.constant(plan.outer - 1);
  rowInBounds = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, row, last);
  row = arith::MinUIOp::create(b, row, last);
}

RowEmitter::Piece RowEmitter::pieceAt(Value number) {
  Piece piece;
  Value first = math.mul(number, plan.piece);
  for (int64_t n = 0; n < plan.piece; ++n)
    piece.columns.push_back(n == 0 ? first : math.add(first, math.constant(n)));
  return piece;
}

void RowEmitter::keepPieces() {
  for (int64_t iteration = 0; iteration < plan.iterations(); ++iteration) {
    Value number = math.add(thread, math.constant(iteration * plan.threads)), inBounds;
    if ((iteration + 1) * plan.threads > plan.pieces) {
      Value last = math.constant(plan.pieces - 1);
      inBounds = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, number, last);
      number = arith::MinUIOp::create(b, number, last);
    }
    kept.push_back(pieceAt(number));
    kept.back().inBounds = inBounds;
  }
}

SmallVector<Value> RowEmitter::combine(const RowLevel &level, const Piece &piece, ValueRange sums) {
  SmallVector<Value> next;
  for (auto [op, sum] : llvm::zip_equal(level.reductions, sums)) {
    Value combined = sum;
    for (Value column : piece.columns) {
      Value operand = op->getOperand(0);
      Value element =
          elements.accumulated(op, elements.at(operand, fullIndexOf(kernel, operand, row, column)));
      if (piece.inBounds)
        element = arith::SelectOp::create(b, piece.inBounds, element, elements.neutral(op));
      combined = elements.combine(op, combined, element);
    }
    next.push_back(combined);
  }
  return next;
}

void RowEmitter::store(const RowLevel &level, const Piece &piece) {
  SmallVector<Value> values;
  for (unsigned n : level.results)
    for (Value column : piece.columns)
      values.push_back(
          elements.at(kernel.results[n], fullIndexOf(kernel, kernel.results[n], row, column)));
  if (values.empty())
    return;
  Value base = math.mul(row, plan.inner);
  SmallVector<Value> positions;
  for (Value column : piece.columns)
    positions.push_back(math.add(base, column));
  Value inBounds = emitBoth(b, rowInBounds, piece.inBounds);
  emitIf(b, inBounds, [&] {
    for (auto [n, value] : llvm::enumerate(values)) {
      unsigned result = level.results[n / positions.size()];
      elements.store(value, kernel.elementType(result), kernel.pointers[result],
                     positions[n % positions.size()]);
    }
  });
}

void RowEmitter::emitLevel(const RowLevel &level) {
  SmallVector<Value> sums;
  for (Operation *op : level.reductions)
    sums.push_back(elements.neutral(op));
  if (plan.fitsRegisters()) {
    for (const Piece &piece : kept) {
      sums = combine(level, piece, sums);
      store(level, piece);
    }
  } else {
    sums = emitStridedLoop(b, thread, math.constant(plan.pieces), math.constant(plan.threads), sums,
                           [&](Value number, ValueRange carried) {
                             Piece piece = pieceAt(number);
                             SmallVector<Value> next = combine(level, piece, carried);
                             store(level, piece);
                             return next;
                           });
  }
  if (plan.rowsPerBlock == 1)
    sums = block.combineInBlock(level.reductions, sums);
  else
    for (auto [op, sum] : llvm::zip_equal(level.reductions, sums))
      sum = block.combineInWarp(op, sum);
  for (auto [op, sum] : llvm::zip_equal(level.reductions, sums))
    elements.remember(op->getResult(0), rowIndexOf(kernel, op->getResult(0), row),
                      elements.finish(op, sum));
}

void RowEmitter::storeRowResults() {
  SmallVector<std::pair<unsigned, Value>> values;
  for (auto [n, result] : llvm::enumerate(kernel.results))
    if (countOf(result) == plan.outer)
      values.push_back({unsigned(n), elements.at(result, rowIndexOf(kernel, result, row))});
  if (values.empty())
    return;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, math.constant(0));
  emitIf(b, emitBoth(b, isFirst, rowInBounds), [&] {
    for (auto [n, value] : values)
      elements.store(value, kernel.elementType(n), kernel.pointers[n], row);
  });
}

void RowEmitter::emit() {
  findRow();
  if (plan.fitsRegisters())
    keepPieces();
  for (const RowLevel &level : findRowLevels(kernel))
    if (!level.reductions.empty() || !level.results.empty())
      emitLevel(level);
  storeRowResults();
}

void emitGpuRows(GpuKernel &kernel) { RowEmitter(kernel).emit(); }

} // namespace pcc::lower
