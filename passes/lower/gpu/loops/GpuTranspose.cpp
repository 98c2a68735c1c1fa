// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits map kernels that transpose. A thread that writes adjacent elements would read elements far
// apart, so a block takes a tile through shared memory.
//
//   read    lane = row     of the result; adjacent in the operand    -> tile[column][row]
//   barrier
//   write   lane = column  of the result; adjacent in the result     <- tile[column][row]
//
// Rows of a tile are 33 elements apart, so that the lanes of a warp use different banks in both
// directions. Source: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009.
#include "passes/lower/gpu/loops/GpuLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

static constexpr int64_t side = lanesPerWarp, pitch = side + 1;
/// Minimum size of each dimension for which tiles pay off.
static constexpr int64_t minSide = 8;
static constexpr int64_t warpsPerTile = defaultBlockThreads / lanesPerWarp;

/// Returns the dimension of the result along which operand elements are adjacent.
static unsigned rowDimOf(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  return llvm::find(permutation, int64_t(permutation.size()) - 1) - permutation.begin();
}

std::optional<TransposeTiles> findTransposeTiles(func::FuncOp kernel, task::FormAttr form) {
  TransposeTiles tiles;
  for (auto op : kernel.getBody().front().getOps<TransposeOp>()) {
    if (countOf(op.getResult()) != form.getOuter() ||
        rowDimOf(op) + 1 == op.getPermutation().size())
      continue;
    bool isFirst = tiles.transposes.empty();
    if (!isFirst && (shapeOf(op.getResult()) != tiles.shape || rowDimOf(op) != tiles.rowDim))
      return std::nullopt;
    tiles.transposes.push_back(op);
    tiles.shape = shapeOf(op.getResult());
    tiles.rowDim = rowDimOf(op);
  }
  int64_t bytes = int64_t(tiles.transposes.size()) * side * pitch * 8; // 8 bytes at most, each
  if (tiles.transposes.empty() || bytes > maxSharedBytes || tiles.rows() < minSide ||
      tiles.columns() < minSide)
    return std::nullopt;
  return tiles;
}

int64_t TransposeTiles::blocks() const {
  int64_t others = 1;
  for (auto [dim, size] : llvm::enumerate(shape))
    others *= dim == rowDim || dim + 1 == shape.size() ? 1 : size;
  return others * llvm::divideCeil(rows(), side) * llvm::divideCeil(columns(), side);
}

namespace {
class TransposeEmitter {
public:
  TransposeEmitter(GpuKernel &kernel, TransposeTiles tiles)
      : kernel(kernel.body), tiles(std::move(tiles)), elements(this->kernel.elements),
        b(elements.b), math(elements.math),
        block(elements, kernel.shape.threads, kernel.shape.blocks) {}
  void emit();

private:
  void findTile();
  void readTile(int64_t turn, ArrayRef<Value> memory);
  void writeTile(int64_t turn, ArrayRef<Value> memory);
  Index indexOf(Value row, Value column) const;
  Value clampBelow(Value position, int64_t size) {
    return arith::MinUIOp::create(b, position, math.constant(size - 1));
  }
  /// Returns the row or column, from `first` on, that a warp has in a turn.
  Value ofWarp(Value first, int64_t turn) {
    return math.add(first, math.add(block.warp(), math.constant(turn * warpsPerTile)));
  }

  KernelBody &kernel;
  TransposeTiles tiles;
  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  ThreadBlock block;
  Index others; ///< positions in the dimensions outside the tile
  Value firstRow, firstColumn;
};
} // namespace

void TransposeEmitter::findTile() {
  int64_t across = llvm::divideCeil(tiles.columns(), side);
  int64_t down = llvm::divideCeil(tiles.rows(), side);
  Value rest = math.div(block.block(), across);
  firstColumn = math.mul(math.rem(block.block(), across), side);
  firstRow = math.mul(math.rem(rest, down), side);
  SmallVector<int64_t> sizes;
  int64_t count = 1;
  for (auto [dim, size] : llvm::enumerate(tiles.shape))
    if (dim != tiles.rowDim && dim + 1 != tiles.shape.size()) {
      sizes.push_back(size);
      count *= size;
    }
  Index all = math.regroup({{math.div(rest, down), {count}}}, sizes);
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    others.push_back({math.at(all, dim), {sizes[dim]}});
}

Index TransposeEmitter::indexOf(Value row, Value column) const {
  Index index;
  const Segment *next = others.begin();
  for (unsigned dim = 0; dim < tiles.shape.size(); ++dim) {
    if (dim == tiles.rowDim)
      index.push_back({row, {tiles.rows()}});
    else if (dim + 1 == tiles.shape.size())
      index.push_back({column, {tiles.columns()}});
    else
      index.push_back(*next++);
  }
  return index;
}

/// Reads the tile. Threads past the edge read the elements at the edge.
void TransposeEmitter::readTile(int64_t turn, ArrayRef<Value> memory) {
  Index index = indexOf(clampBelow(math.add(firstRow, block.lane()), tiles.rows()),
                        clampBelow(ofWarp(firstColumn, turn), tiles.columns()));
  Value place = math.add(math.mul(ofWarp(math.constant(0), turn), pitch), block.lane());
  for (auto [op, shared] : llvm::zip_equal(tiles.transposes, memory)) {
    Index operand(index.size());
    for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
      operand[from] = index[dim];
    Value element = elements.at(op.getInput(), operand);
    elements.store(element, element.getType(), shared, place);
  }
}

void TransposeEmitter::writeTile(int64_t turn, ArrayRef<Value> memory) {
  Value row = ofWarp(firstRow, turn), column = math.add(firstColumn, block.lane());
  auto isBelow = [&](Value position, int64_t size) -> Value {
    return size % side == 0 ? Value()
                            : Value(arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position,
                                                          math.constant(size)));
  };
  emitIf(b, emitBoth(b, isBelow(row, tiles.rows()), isBelow(column, tiles.columns())), [&] {
    Index index = indexOf(row, column);
    Value place = math.add(math.mul(block.lane(), pitch), ofWarp(math.constant(0), turn));
    for (auto [op, shared] : llvm::zip_equal(tiles.transposes, memory)) {
      Type type = computeType(getElementTypeOrSelf(op.getType()));
      elements.remember(op.getResult(), math.regroup(index, tiles.shape),
                        elements.load(type, shared, place));
    }
    SmallVector<Value> values;
    for (Value result : kernel.results)
      values.push_back(elements.at(result, math.regroup(index, shapeOf(result))));
    Value position = math.linear(index);
    for (auto [n, value] : llvm::enumerate(values))
      elements.store(value, kernel.elementType(n), kernel.pointers[n], position);
  });
}

void TransposeEmitter::emit() {
  findTile();
  SmallVector<Value> memory;
  for (TransposeOp op : tiles.transposes)
    memory.push_back(
        block.allocateShared(computeType(getElementTypeOrSelf(op.getType())), side * pitch));
  for (int64_t turn = 0; turn < side / warpsPerTile; ++turn)
    readTile(turn, memory);
  block.barrier();
  for (int64_t turn = 0; turn < side / warpsPerTile; ++turn)
    writeTile(turn, memory);
}

void emitGpuTranspose(GpuKernel &kernel, const TransposeTiles &tiles) {
  TransposeEmitter(kernel, tiles).emit();
}

} // namespace pcc::lower
