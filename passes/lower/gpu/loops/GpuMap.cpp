// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits map kernels on a GPU. Each thread has pieces of adjacent elements, so that loads and stores
// of a warp are whole lines of memory. LLVM merges the accesses of a piece into one of up to 16
// bytes.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace pcc::lower {

namespace {
/// Loops of a map kernel; pieces lie in the innermost one.
struct MapPieces {
  SmallVector<int64_t> outer; ///< sizes of the outer loops
  int64_t inner;
  int64_t piece;
  int64_t count; ///< number of pieces

  MapPieces(func::FuncOp kernel, task::FormAttr form) : outer(mapLoops(kernel, form.getOuter())) {
    inner = outer.pop_back_val();
    piece = elementsPerAccess(kernel, inner);
    count = form.getOuter() / piece;
  }
};
} // namespace

GridShape gridOfMap(func::FuncOp kernel, task::FormAttr form) {
  int64_t blocks = llvm::divideCeil(MapPieces(kernel, form).count, defaultBlockThreads);
  return {std::min(blocks, usualBlocks), defaultBlockThreads};
}

/// Emits the elements of one piece. All values come first, since a result may lie where an operand
/// does.
static void emitPiece(GpuKernel &kernel, const MapPieces &pieces, Value number) {
  IndexMath &math = kernel.math();
  Elements &elements = kernel.body.elements;
  int64_t perRow = pieces.inner / pieces.piece;
  Index index;
  Value inRow = number;
  if (!pieces.outer.empty()) {
    int64_t rows = pieces.count / perRow;
    Index row = math.regroup({{math.div(number, perRow), {rows}}}, pieces.outer);
    for (unsigned dim = 0; dim < pieces.outer.size(); ++dim)
      index.push_back({math.at(row, dim), {pieces.outer[dim]}});
    inRow = math.rem(number, perRow);
  }
  Value first = math.mul(inRow, pieces.piece);
  SmallVector<std::pair<Value, Value>> stored; // position, element; result by result
  for (Value result : kernel.body.results)
    for (int64_t n = 0; n < pieces.piece; ++n) {
      Index element = index;
      element.push_back({n == 0 ? first : math.add(first, math.constant(n)), {pieces.inner}});
      stored.push_back(
          {math.linear(element), elements.at(result, math.regroup(element, shapeOf(result)))});
    }
  for (auto [n, value] : llvm::enumerate(stored)) {
    unsigned result = n / pieces.piece;
    elements.store(value.second, kernel.body.elementType(result), kernel.body.pointers[result],
                   value.first);
  }
}

void emitGpuMap(GpuKernel &kernel) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  MapPieces pieces(kernel.body.function, kernel.body.form);
  ThreadBlock block(kernel.body.elements, kernel.shape.threads, kernel.shape.blocks);
  Value own = math.add(math.mul(block.block(), kernel.shape.threads), block.thread());
  int64_t all = kernel.shape.blocks * kernel.shape.threads;
  if (all == pieces.count)
    return emitPiece(kernel, pieces, own);
  Value end = math.constant(pieces.count);
  if (all > pieces.count) {
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, own, end);
    return emitIf(b, isThere, [&] { emitPiece(kernel, pieces, own); });
  }
  emitStridedLoop(b, own, end, math.constant(all),
                  [&](Value number) { emitPiece(kernel, pieces, number); });
}

} // namespace pcc::lower
