// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits gradient kernels of max_pool. The planes of the batch and the channels are independent and
// run in parallel. Within a plane, gradients are added in the order of their windows. On a GPU,
// each thread has one element of the input, and gathers from the windows that see it, in the same
// order.
#include "passes/lower/elements/WindowLoops.h"
#include "passes/lower/host/KernelLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Emits the gradient for planes of `image` elements, each with windows at `pooled` positions.
struct PoolGradientEmitter {
  KernelBody &kernel;
  MaxPoolGradientOp op;
  Window window = Window::of(op);
  ArrayRef<int64_t> image = op.getInput().getType().getShape().drop_front(2);
  ArrayRef<int64_t> pooled = op.getGradient().getType().getShape().drop_front(2);
  int64_t planes = kernel.form.getOuter();

  void clear(Value plane);
  void addWindow(Value plane, Value row, Value column);
  Value findBest(Value plane, Value row, Value column);
  Value gather(Value plane, ArrayRef<Value> at, unsigned dim, Value seen, ArrayRef<Value> windows,
               Value sum);
  SmallVector<Value> find(Value plane, ArrayRef<Value> at, unsigned dim, Value inside,
                          ArrayRef<Value> positions, ValueRange best);
  SmallVector<Value> better(Value plane, Value inside, ArrayRef<Value> positions, ValueRange best);
  /// The index of an element of one plane, as an index of the whole tensor.
  Index indexOf(Value tensor, Value plane, Value row, Value column) {
    ArrayRef<int64_t> shape = shapeOf(tensor);
    Index index = {{plane, {planes}}, {row, {shape[2]}}, {column, {shape[3]}}};
    return kernel.math().regroup(index, shape);
  }
};
} // namespace

void PoolGradientEmitter::clear(Value plane) {
  IndexMath &math = kernel.math();
  ImplicitLocOpBuilder &b = kernel.builder();
  int64_t count = image[0] * image[1];
  emitLoop(b, math.constant(0), math.constant(count), [&](Value n) {
    Value zero = emitNumber(b, computeType(kernel.elementType(0)), 0);
    kernel.elements.store(zero, kernel.elementType(0), kernel.pointers[0],
                          math.add(math.mul(plane, count), n));
  });
}

/// Returns the greater of the best element so far and the one at `positions`, with its position in
/// the plane. The first of equal elements wins, and so does the first NaN.
SmallVector<Value> PoolGradientEmitter::better(Value plane, Value inside, ArrayRef<Value> positions,
                                               ValueRange best) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  Value row = inside ? math.clamp(positions[0], image[0]) : positions[0];
  Value column = inside ? math.clamp(positions[1], image[1]) : positions[1];
  Value element = kernel.elements.at(op.getInput(), indexOf(op.getInput(), plane, row, column));
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, predicate, x, y);
  };
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, best[1], math.constant(0));
  Value isGreater = compare(arith::CmpFPredicate::OGT, element, best[0]);
  Value isFirstNan = arith::AndIOp::create(b, compare(arith::CmpFPredicate::UNO, element, element),
                                           compare(arith::CmpFPredicate::ORD, best[0], best[0]));
  Value takes = arith::OrIOp::create(b, isFirst, arith::OrIOp::create(b, isGreater, isFirstNan));
  takes = emitBoth(b, takes, inside);
  Value position = math.add(math.mul(row, image[1]), column);
  return {arith::SelectOp::create(b, takes, element, best[0]),
          arith::SelectOp::create(b, takes, position, best[1])};
}

/// Loops over the rows (dim 0) of a window, and for each row over its columns (dim 1).
SmallVector<Value> PoolGradientEmitter::find(Value plane, ArrayRef<Value> at, unsigned dim,
                                             Value inside, ArrayRef<Value> positions,
                                             ValueRange best) {
  IndexMath &math = kernel.math();
  Elements &elements = kernel.elements;
  auto body = [&](Value offset, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> longer(positions);
    longer.push_back(emitWindowPosition(elements, window, dim, at[dim], offset));
    Value isIn =
        emitBoth(elements.b, inside,
                 emitInside(elements, window, dim, longer.back(), image[dim], pooled[dim]));
    return dim == 0 ? find(plane, at, 1, isIn, longer, carried)
                    : better(plane, isIn, longer, carried);
  };
  return emitLoop(elements.b, math.constant(0), math.constant(window.sizes[dim]), best, body);
}

/// Returns the position in the plane of a window's greatest element; -1 if the window sees only
/// padding.
Value PoolGradientEmitter::findBest(Value plane, Value row, Value column) {
  Value least = emitNumber(kernel.builder(), computeType(kernel.elementType(0)), -INFINITY);
  return find(plane, {row, column}, 0, {}, {}, {least, kernel.math().constant(-1)})[1];
}

void PoolGradientEmitter::addWindow(Value plane, Value row, Value column) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  Elements &elements = kernel.elements;
  Type type = kernel.elementType(0);
  Value best = findBest(plane, row, column);
  // A window that sees only padding leaves the sum as it is.
  Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, best, math.constant(0));
  Value position =
      math.add(math.mul(plane, image[0] * image[1]), math.clamp(best, image[0] * image[1]));
  Value gradient = elements.at(op.getGradient(), indexOf(op.getGradient(), plane, row, column));
  Value before = elements.load(type, kernel.pointers[0], position);
  Value sum = arith::AddFOp::create(b, before, gradient);
  Value after = arith::SelectOp::create(b, isThere, sum, before);
  elements.store(after, type, kernel.pointers[0], position);
}

/// Adds to `sum` the gradients of all windows whose greatest element is at the row and column `at`
/// of the plane. The window that sees position p at offset n has number (p + low - n · dilation) /
/// stride. From the last offset on, windows come in their order.
Value PoolGradientEmitter::gather(Value plane, ArrayRef<Value> at, unsigned dim, Value seen,
                                  ArrayRef<Value> windows, Value sum) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  auto body = [&](Value n, ValueRange carried) -> SmallVector<Value> {
    Value offset = arith::SubIOp::create(b, math.constant(window.sizes[dim] - 1), n);
    Value shifted = arith::SubIOp::create(
        b, arith::AddIOp::create(b, at[dim], math.constant(window.getLow(dim))),
        math.mul(offset, window.dilations[dim]));
    // A negative value means that no window sees it; as unsigned, its number is beyond all windows.
    Value number = math.div(shifted, window.strides[dim]);
    Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          math.rem(shifted, window.strides[dim]), math.constant(0));
    Value isThere = arith::AndIOp::create(
        b, isWhole,
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, math.constant(pooled[dim])));
    Value sees = emitBoth(b, seen, isThere);
    SmallVector<Value> longer(windows);
    longer.push_back(arith::SelectOp::create(b, sees, number, math.constant(0)));
    if (dim == 0)
      return {gather(plane, at, 1, sees, longer, carried[0])};
    Value own = math.add(math.mul(at[0], image[1]), at[1]);
    Value isBest = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         findBest(plane, longer[0], longer[1]), own);
    Value gradient = kernel.elements.at(op.getGradient(),
                                        indexOf(op.getGradient(), plane, longer[0], longer[1]));
    Value more = arith::AddFOp::create(b, carried[0], gradient);
    return {arith::SelectOp::create(b, emitBoth(b, sees, isBest), more, carried[0])};
  };
  return emitLoop(b, math.constant(0), math.constant(window.sizes[dim]), {sum}, body)[0];
}

void emitPoolGradientElement(KernelBody &kernel, Value element) {
  IndexMath &math = kernel.math();
  PoolGradientEmitter emitter{kernel, kernel.results[0].getDefiningOp<MaxPoolGradientOp>()};
  int64_t columns = emitter.image[1], count = emitter.image[0] * columns;
  Value inPlane = math.rem(element, count);
  Value zero = emitNumber(kernel.builder(), computeType(kernel.elementType(0)), 0);
  Value sum =
      emitter.gather(math.div(element, count),
                     {math.div(inPlane, columns), math.rem(inPlane, columns)}, 0, {}, {}, zero);
  kernel.elements.store(sum, kernel.elementType(0), kernel.pointers[0], element);
}

void emitPoolGradient(KernelBody &kernel, Value begin, Value end) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  PoolGradientEmitter emitter{kernel, kernel.results[0].getDefiningOp<MaxPoolGradientOp>()};
  Value zero = math.constant(0);
  emitLoop(b, begin, end, [&](Value plane) {
    emitter.clear(plane);
    emitLoop(b, zero, math.constant(emitter.pooled[0]), [&](Value row) {
      emitLoop(b, zero, math.constant(emitter.pooled[1]),
               [&](Value column) { emitter.addWindow(plane, row, column); });
    });
  });
}

} // namespace pcc::lower
