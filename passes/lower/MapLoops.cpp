// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Map kernels: every element alone.
#include "passes/lower/KernelLoops.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Where loops must be cut: a boundary before dimension d is written as the number of elements of
/// dimensions d and after, which stays the same under reshapes.
class Boundaries {
public:
  void before(ArrayRef<int64_t> shape, unsigned dim) {
    int64_t stride = 1;
    for (int64_t size : shape.drop_front(dim))
      stride *= size;
    strides.insert(stride);
  }
  void around(ArrayRef<int64_t> shape, unsigned dim) {
    before(shape, dim);
    before(shape, dim + 1);
  }
  /// Loop sizes for `elements`: cuts that do not nest are left to divisions.
  SmallVector<int64_t> loops(int64_t elements) const {
    SmallVector<int64_t> sizes;
    int64_t rest = elements;
    for (int64_t stride : llvm::reverse(strides)) {
      if (stride >= rest || stride <= 1 || rest % stride != 0)
        continue;
      sizes.push_back(rest / stride);
      rest = stride;
    }
    sizes.push_back(rest);
    return sizes;
  }

private:
  std::set<int64_t> strides;
};
} // namespace

static void addBroadcast(Boundaries &boundaries, BroadcastOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult()), input = shapeOf(op.getInput());
  bool wasCovered = false, isFirst = true;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1)
      continue;
    auto it = llvm::find(op.getDims(), int64_t(dim));
    bool covered = it != op.getDims().end() && input[it - op.getDims().begin()] == size;
    if (!isFirst && covered != wasCovered)
      boundaries.before(shape, dim);
    wasCovered = covered;
    isFirst = false;
  }
}

static void addTranspose(Boundaries &boundaries, TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  for (size_t dim = 1; dim < permutation.size(); ++dim)
    if (permutation[dim] != permutation[dim - 1] + 1)
      boundaries.before(shapeOf(op.getResult()), dim);
}

static void addGather(Boundaries &boundaries, GatherOp op) {
  unsigned first = op.getAxis(), count = op.getIndices().getType().getRank();
  boundaries.before(shapeOf(op.getResult()), first);
  boundaries.before(shapeOf(op.getResult()), first + count);
}

SmallVector<int64_t> mapLoops(func::FuncOp kernel, int64_t elements) {
  Boundaries boundaries;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    Value result = op.getResult(0);
    if (cast<ShapedType>(result.getType()).getNumElements() != elements)
      continue;
    auto axis = [&](auto op) { boundaries.around(shapeOf(result), op.getAxis()); };
    llvm::TypeSwitch<Operation *>(&op)
        .Case<BroadcastOp>([&](auto op) { addBroadcast(boundaries, op); })
        .Case<TransposeOp>([&](auto op) { addTranspose(boundaries, op); })
        .Case<IotaOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp, PadOp, ConcatOp, OneHotOp>(
            axis)
        .Case<GatherOp>([&](auto op) { addGather(boundaries, op); })
        .Case<MaxPoolOp, AvgPoolOp>([&](auto) {
          boundaries.around(shapeOf(result), 2);
          boundaries.around(shapeOf(result), 3);
        });
  }
  return boundaries.loops(elements);
}

Iterations mapIterations(func::FuncOp kernel, task::FormAttr form) {
  SmallVector<int64_t> loops = mapLoops(kernel, form.getOuter());
  int64_t inner = loops.size() == 1 ? 1 : loops.back();
  // Whole rows of the innermost loop, unless it is the only one.
  return cutIntoIterations(form.getOuter() / inner,
                           std::max<int64_t>(1, elementsPerIteration / inner));
}

/// Emits the results' elements at the loops' positions: all values first, since a result may lie
/// where an operand does.
static void emitElements(KernelBody &kernel, const Index &loops) {
  Elements::Scope scope(kernel.elements);
  SmallVector<Value> values;
  for (Value result : kernel.results)
    values.push_back(kernel.elements.at(result, kernel.math().regroup(loops, shapeOf(result))));
  Value position = kernel.math().linear(loops);
  for (auto [n, value] : llvm::enumerate(values))
    kernel.elements.store(value, kernel.elementType(n), kernel.pointers[n], position);
}

void emitMap(KernelBody &kernel, Value begin, Value end) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  SmallVector<int64_t> loops = mapLoops(kernel.function, kernel.form.getOuter());
  int64_t inner = loops.pop_back_val();
  int64_t total = loops.empty() ? inner : kernel.form.getOuter() / inner;
  int64_t size = mapIterations(kernel.function, kernel.form).size;
  // Consecutive iterations are one range.
  Value from = math.mul(begin, size);
  Value to = arith::MinSIOp::create(b, math.mul(end, size), math.constant(total));
  emitLoop(b, from, to, [&](Value position) {
    Index index;
    if (loops.empty())
      return emitElements(kernel, {{position, {inner}}});
    Elements::Scope scope(kernel.elements);
    Index outer = math.regroup({{position, {total}}}, loops);
    for (unsigned dim = 0; dim < loops.size(); ++dim)
      index.push_back({math.at(outer, dim), {loops[dim]}});
    emitLoop(b, math.constant(0), math.constant(inner), [&](Value last) {
      Index element = index;
      element.push_back({last, {inner}});
      emitElements(kernel, element);
    });
  });
}

} // namespace pcc::lower
