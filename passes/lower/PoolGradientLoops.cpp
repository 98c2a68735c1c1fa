// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradient kernels of max_pool. The planes of the batch and the channels are independent and run in
// parallel; within one, gradients are added in the order of their windows.
#include "passes/lower/KernelLoops.h"
#include "passes/lower/WindowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

namespace {
/// Planes of `rows` x `columns` elements, each with windows in `resultRows` x `resultColumns`.
struct PoolGradientEmitter {
  KernelBody &kernel;
  MaxPoolGradientOp op;
  Window window = Window::of(op);
  ArrayRef<int64_t> image = op.getInput().getType().getShape().drop_front(2);
  ArrayRef<int64_t> pooled = op.getGradient().getType().getShape().drop_front(2);
  int64_t planes = kernel.form.getOuter();

  void clear(Value plane);
  void addWindow(Value plane, Value row, Value column);
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

/// The greater of the best element so far and the one at `positions`, with its position in the
/// plane: the first of equal ones, and the first NaN.
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

/// Goes through the rows (dim 0) of a window, for each through its columns (dim 1).
SmallVector<Value> PoolGradientEmitter::find(Value plane, ArrayRef<Value> at, unsigned dim,
                                             Value inside, ArrayRef<Value> positions,
                                             ValueRange best) {
  IndexMath &math = kernel.math();
  Elements &elements = kernel.elements;
  auto body = [&](Value offset, ValueRange carried) -> SmallVector<Value> {
    Elements::Scope scope(elements);
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

void PoolGradientEmitter::addWindow(Value plane, Value row, Value column) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  Elements &elements = kernel.elements;
  Type type = kernel.elementType(0);
  Value least = emitNumber(b, computeType(type), -INFINITY), none = math.constant(-1);
  Value best = find(plane, {row, column}, 0, {}, {}, {least, none})[1];
  // A window of nothing but padding gives its gradient to the first element zero times.
  Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, best, math.constant(0));
  Value position =
      math.add(math.mul(plane, image[0] * image[1]), math.clamp(best, image[0] * image[1]));
  Value gradient = elements.at(op.getGradient(), indexOf(op.getGradient(), plane, row, column));
  Value before = elements.load(type, kernel.pointers[0], position);
  Value sum = arith::AddFOp::create(b, before, gradient);
  Value after = arith::SelectOp::create(b, isThere, sum, before);
  elements.store(after, type, kernel.pointers[0], position);
}

void emitPoolGradient(KernelBody &kernel, Value begin, Value end) {
  ImplicitLocOpBuilder &b = kernel.builder();
  IndexMath &math = kernel.math();
  PoolGradientEmitter emitter{kernel, kernel.results[0].getDefiningOp<MaxPoolGradientOp>()};
  Value zero = math.constant(0);
  emitLoop(b, begin, end, [&](Value plane) {
    emitter.clear(plane);
    emitLoop(b, zero, math.constant(emitter.pooled[0]), [&](Value row) {
      emitLoop(b, zero, math.constant(emitter.pooled[1]), [&](Value column) {
        Elements::Scope scope(kernel.elements);
        emitter.addWindow(plane, row, column);
      });
    });
  });
}

} // namespace pcc::lower
