// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits map kernels: each element is computed by itself.
#include "passes/lower/host/loops/KernelLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace pcc::lower {

/// Maximum number of elements in a block of whole loops.
static constexpr int64_t maxBlock = elementsPerIteration;

namespace {
/// Loop nest of a map kernel. Work is cut into blocks. A block runs all innermost loops that
/// together have at most `maxBlock` elements. The bounds of these loops are constants, so LLVM
/// unrolls the short loops and vectorizes the first long one.
///
///   loops      outer     block
///   8192       8192      (one element)   nothing tells dimensions apart
///   32x64x49   32        64x49
///   8x512x512  8x512     512
///   2x4x2      (none)    2x4x2
struct MapNest {
  SmallVector<int64_t> outer, block;

  MapNest(func::FuncOp kernel, int64_t elements) : outer(mapLoops(kernel, elements)) {
    if (outer.size() == 1)
      return;
    int64_t size = 1;
    while (!outer.empty() && (block.empty() || size * outer.back() <= maxBlock)) {
      size *= outer.back();
      block.insert(block.begin(), outer.pop_back_val());
    }
  }
};
} // namespace

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return llvm::accumulate(sizes, int64_t(1), std::multiplies<>());
}

static Iterations iterationsOf(const MapNest &nest) {
  return cutIntoIterations(productOf(nest.outer),
                           std::max<int64_t>(1, elementsPerIteration / productOf(nest.block)));
}

Iterations mapIterations(func::FuncOp kernel, task::FormAttr form) {
  return iterationsOf(MapNest(kernel, form.getOuter()));
}

/// Emits the results' elements at the loops' positions. All values come first, since a result may
/// lie where an operand does.
static void emitElements(KernelBody &kernel, const Index &loops) {
  SmallVector<Value> values;
  for (Value result : kernel.results)
    values.push_back(kernel.elements.at(result, kernel.math().regroup(loops, shapeOf(result))));
  Value position = kernel.math().linear(loops);
  for (auto [n, value] : llvm::enumerate(values))
    kernel.elements.store(value, kernel.elementType(n), kernel.pointers[n], position);
}

/// Emits the blocks from ≤ position < to. `sizes` are those of the outer loops that are left;
/// positions count their iterations. Each dimension has a loop of its own, so divisions apply to
/// the bounds of a loop, never to its induction variable.
static void emitBlocks(KernelBody &kernel, const MapNest &nest, ArrayRef<int64_t> sizes, Value from,
                       Value to, const Index &index) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  int64_t inner = sizes.empty() ? 1 : productOf(sizes.drop_front());
  Value first = math.div(from, inner), last = to;
  if (inner > 1)
    last = math.div(math.add(to, math.constant(inner - 1)), inner);
  emitLoop(b, first, last, [&](Value position) {
    Index longer = index;
    if (!sizes.empty())
      longer.push_back({position, {sizes.front()}});
    if (sizes.size() < 2)
      return emitNest(kernel, nest.block, longer,
                      [&](const Index &element) { emitElements(kernel, element); });
    Value start = math.mul(position, inner);
    auto relative = [&](Value bound) -> Value {
      Value offset = arith::SubIOp::create(b, bound, start);
      offset = arith::MaxSIOp::create(b, offset, math.constant(0));
      return arith::MinSIOp::create(b, offset, math.constant(inner));
    };
    emitBlocks(kernel, nest, sizes.drop_front(), relative(from), relative(to), longer);
  });
}

void emitMap(KernelBody &kernel, Value begin, Value end) {
  IndexMath &math = kernel.math();
  MapNest nest(kernel.function, kernel.form.getOuter());
  int64_t size = iterationsOf(nest).size;
  // Consecutive iterations are one range.
  Value from = math.mul(begin, size);
  Value to = arith::MinSIOp::create(kernel.builder(), math.mul(end, size),
                                    math.constant(productOf(nest.outer)));
  emitBlocks(kernel, nest, nest.outer, from, to, {});
}

} // namespace pcc::lower
