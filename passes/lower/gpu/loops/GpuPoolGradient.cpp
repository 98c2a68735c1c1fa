// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits gradient kernels of max_pool on a GPU. A plane is one channel of one sample. A block has a
// tile of a plane: the whole plane, or some rows of it with all columns.
//
//   first    each window that covers elements of the tile: position of its greatest element, and
//            the incoming gradient of the pooled element -> shared memory; windows that cover
//            elements of two tiles are computed for both
//   barrier
//   then     each element of the tile: the sum of the gradients of the windows that cover it, and
//            whose greatest element it is, in the order of the windows
//
// If the windows that cover a single row do not fit into shared memory, each thread finds the
// greatest elements of the windows itself.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "passes/lower/elements/MaxPoolWindows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

/// Shared memory of a tile, unless one row needs more. With it, eight blocks per multiprocessor
/// (SM) of an H100 run at once, so that some read windows while others add gradients. An SM has
/// 228 KiB, and CUDA reserves 1 KiB for each block: 8 · (27 + 1) KiB fit.
static constexpr int64_t usualTileBytes = 27 << 10;

/// Returns the bytes of a position (i32) and a gradient of a window.
static int64_t bytesOfWindow(Type element) {
  return 4 + computeType(element).getIntOrFloatBitWidth() / 8;
}

/// Returns the maximum number of windows, in one dimension, that cover some of `count` adjacent
/// elements.
static int64_t maxWindowsCovering(const MaxPoolSizes &sizes, unsigned dim, int64_t count) {
  int64_t reach = count - 1 + sizes.window.getExtent(dim) - 1;
  return std::min(sizes.pooled[dim], reach / sizes.window.strides[dim] + 1);
}

namespace {
/// Tiles of equal numbers of rows, but for the last one of each plane.
struct PoolTiles {
  int64_t rows;
  int64_t perPlane;
  int64_t windows; ///< maximum number that covers elements of a tile
};
} // namespace

/// Returns nothing if the windows of one row do not fit into shared memory.
static std::optional<PoolTiles> findTiles(const MaxPoolSizes &sizes, Type element) {
  int64_t bytesPerWindow = bytesOfWindow(element);
  auto count = [&](int64_t rows) { return maxWindowsCovering(sizes, 0, rows) * sizes.pooled[1]; };
  int64_t height = sizes.image[0], rows = height;
  if (count(height) * bytesPerWindow > usualTileBytes) {
    int64_t rowsOfWindows = usualTileBytes / bytesPerWindow / sizes.pooled[1];
    rows = rowsOfWindows * sizes.window.strides[0] - sizes.window.getExtent(0) + 1;
    rows = std::clamp<int64_t>(rows, 1, height);
  }
  int64_t perPlane = llvm::divideCeil(height, rows);
  rows = llvm::divideCeil(height, perPlane); // of similar size
  if (count(rows) * bytesPerWindow > maxSharedBytes || sizes.area > INT32_MAX)
    return std::nullopt;
  return PoolTiles{rows, int64_t(llvm::divideCeil(height, rows)), count(rows)};
}

namespace {
/// Windows first ≤ n < end in one dimension.
struct WindowRange {
  Value first, end;
};

/// The incoming gradient of a window's pooled element, and the position in the plane (i64) to which
/// it goes; -1: to none.
struct WindowGradient {
  Value position, gradient;
};

class PoolGradientEmitter {
public:
  PoolGradientEmitter(GpuKernel &kernel)
      : kernel(kernel.body), blocks(kernel.shape.blocks), elements(this->kernel.elements),
        b(elements.b), math(elements.math), block(elements, kernel.shape.threads, blocks),
        windows(elements, this->kernel.results[0].getDefiningOp<MaxPoolGradientOp>()) {}
  void emit();

private:
  using Lookup = function_ref<WindowGradient(Value row, Value column)>;

  void emitTile(const PoolTiles &tiles);
  void emitElements();
  WindowRange windowsCovering(unsigned dim, Value first, Value last);
  void storeElement(Value plane, Value row, Value column, Lookup lookup);
  Value addWindow(Value isThere, Value own, Value sum, function_ref<WindowGradient()> read);
  Value less(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y); }

  KernelBody &kernel;
  int64_t blocks;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  ThreadBlock block;
  MaxPoolWindows windows;
};
} // namespace

GridShape gridOfPoolGradient(func::FuncOp kernel) {
  Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  MaxPoolSizes sizes(result.getDefiningOp<MaxPoolGradientOp>());
  std::optional<PoolTiles> tiles = findTiles(sizes, getElementTypeOrSelf(result.getType()));
  int64_t count = tiles ? tiles->rows * sizes.image[1] : sizes.planes * sizes.area;
  int64_t threads = std::min<int64_t>(llvm::alignTo(count, lanesPerWarp), defaultBlockThreads);
  int64_t blocks = tiles ? sizes.planes * tiles->perPlane
                         : std::min<int64_t>(llvm::divideCeil(count, threads), usualBlocks);
  return {blocks, threads};
}

/// Returns the windows that cover some of the elements first … last. Window w extends from
/// w · stride - low on; with dilations it does not cover all elements of its extent.
WindowRange PoolGradientEmitter::windowsCovering(unsigned dim, Value first, Value last) {
  const Window &window = windows.window;
  int64_t low = window.getLow(dim), stride = window.strides[dim];
  Value behind =
      arith::AddIOp::create(b, first, math.constant(low + stride - window.getExtent(dim)));
  Value begin = math.div(arith::MaxSIOp::create(b, behind, math.constant(0)), stride);
  Value end = math.add(math.div(math.add(last, math.constant(low)), stride), math.constant(1));
  end = arith::MinSIOp::create(b, end, math.constant(windows.pooled[dim]));
  return {begin, arith::MaxSIOp::create(b, begin, end)};
}

/// Adds the gradient of a window to `sum`, if the window is there and its greatest element is at
/// the position `own`, that of the element whose gradient is computed.
Value PoolGradientEmitter::addWindow(Value isThere, Value own, Value sum,
                                     function_ref<WindowGradient()> read) {
  auto guarded = scf::IfOp::create(b, sum.getType(), isThere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  WindowGradient window = read();
  Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, window.position, own);
  Value more = arith::AddFOp::create(b, sum, window.gradient);
  scf::YieldOp::create(b, Value(arith::SelectOp::create(b, isOwn, more, sum)));
  b.setInsertionPointToStart(guarded.elseBlock());
  scf::YieldOp::create(b, sum);
  return guarded.getResult(0);
}

/// Stores the gradient of one element. `lookup` returns the gradient of a window that exists.
void PoolGradientEmitter::storeElement(Value plane, Value row, Value column, Lookup lookup) {
  WindowRange rows = windowsCovering(0, row, row), columns = windowsCovering(1, column, column);
  Value own = math.add(math.mul(row, windows.image[1]), column);
  auto addRow = [&](Value number, ValueRange carried) -> SmallVector<Value> {
    Value windowRow = math.add(rows.first, number);
    Value isRow = less(windowRow, rows.end);
    auto add = [&](Value number, ValueRange carried) -> SmallVector<Value> {
      Value windowColumn = math.add(columns.first, number);
      Value isThere = arith::AndIOp::create(b, isRow, less(windowColumn, columns.end));
      return {addWindow(isThere, own, carried[0], [&] { return lookup(windowRow, windowColumn); })};
    };
    return emitLoop(b, math.constant(0), math.constant(maxWindowsCovering(windows, 1, 1)), carried,
                    add);
  };
  Value zero = emitNumber(b, computeType(kernel.elementType(0)), 0);
  Value sum = emitLoop(b, math.constant(0), math.constant(maxWindowsCovering(windows, 0, 1)),
                       {zero}, addRow)[0];
  elements.store(sum, kernel.elementType(0), kernel.pointers[0],
                 math.add(math.mul(plane, windows.area), own));
}

void PoolGradientEmitter::emitTile(const PoolTiles &tiles) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), type = computeType(kernel.elementType(0));
  Value positions = block.allocateShared(i32, tiles.windows);
  Value gradients = block.allocateShared(type, tiles.windows);
  Value plane = math.div(block.block(), tiles.perPlane);
  Value firstRow = math.mul(math.rem(block.block(), tiles.perPlane), tiles.rows);
  Value endRow = arith::MinSIOp::create(b, math.add(firstRow, math.constant(tiles.rows)),
                                        math.constant(windows.image[0]));
  Value one = math.constant(1), threads = math.constant(block.threads());
  WindowRange rows = windowsCovering(0, firstRow, arith::SubIOp::create(b, endRow, one));
  Value count = math.mul(arith::SubIOp::create(b, rows.end, rows.first), windows.pooled[1]);
  emitStridedLoop(b, block.thread(), count, threads, [&](Value n) {
    Value row = math.add(rows.first, math.div(n, windows.pooled[1]));
    Value column = math.rem(n, windows.pooled[1]);
    Value position = windows.findGreatest(plane, row, column);
    elements.store(arith::TruncIOp::create(b, i32, position), i32, positions, n);
    elements.store(windows.gradientOf(plane, row, column), type, gradients, n);
  });
  block.barrier();
  auto lookup = [&](Value row, Value column) -> WindowGradient {
    Value tileRow = arith::SubIOp::create(b, row, rows.first);
    Value place = math.add(math.mul(tileRow, windows.pooled[1]), column);
    return {arith::ExtSIOp::create(b, i64, elements.load(i32, positions, place)),
            elements.load(type, gradients, place)};
  };
  count = math.mul(arith::SubIOp::create(b, endRow, firstRow), windows.image[1]);
  emitStridedLoop(b, block.thread(), count, threads, [&](Value n) {
    storeElement(plane, math.add(firstRow, math.div(n, windows.image[1])),
                 math.rem(n, windows.image[1]), lookup);
  });
}

void PoolGradientEmitter::emitElements() {
  Value own = math.add(math.mul(block.block(), block.threads()), block.thread());
  int64_t columns = windows.image[1];
  emitStridedLoop(b, own, math.constant(windows.planes * windows.area),
                  math.constant(blocks * block.threads()), [&](Value element) {
                    Value plane = math.div(element, windows.area);
                    Value inPlane = math.rem(element, windows.area);
                    storeElement(plane, math.div(inPlane, columns), math.rem(inPlane, columns),
                                 [&](Value row, Value column) -> WindowGradient {
                                   return {windows.findGreatest(plane, row, column),
                                           windows.gradientOf(plane, row, column)};
                                 });
                  });
}

void PoolGradientEmitter::emit() {
  if (std::optional<PoolTiles> tiles = findTiles(windows, kernel.elementType(0)))
    emitTile(*tiles);
  else
    emitElements();
}

void emitGpuPoolGradient(GpuKernel &kernel) { PoolGradientEmitter(kernel).emit(); }

} // namespace pcc::lower
