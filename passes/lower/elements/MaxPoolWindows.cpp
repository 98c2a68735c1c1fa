// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches a window by two nested loops that carry the greatest element and its position. Positions
// in the padding are clamped into the image, and their elements are not taken.
#include "passes/lower/elements/MaxPoolWindows.h"

#include "passes/lower/elements/WindowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

MaxPoolSizes::MaxPoolSizes(MaxPoolGradientOp op)
    : window(Window::of(op)), image(op.getInput().getType().getShape().drop_front(2)),
      pooled(op.getGradient().getType().getShape().drop_front(2)),
      planes(op.getInput().getType().getDimSize(0) * op.getInput().getType().getDimSize(1)),
      area(image[0] * image[1]) {}

Index MaxPoolWindows::indexOf(Value tensor, Value plane, Value row, Value column) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  Index index = {{plane, {planes}}, {row, {shape[2]}}, {column, {shape[3]}}};
  return elements.math.regroup(index, shape);
}

/// Returns the greater of the best element so far and the one at `positions`, with its position in
/// the plane. The first of equal elements wins, and so does the first NaN.
SmallVector<Value> MaxPoolWindows::better(Value plane, Value inside, ArrayRef<Value> positions,
                                          ValueRange best) {
  ImplicitLocOpBuilder &b = elements.b;
  IndexMath &math = elements.math;
  Value row = inside ? math.clamp(positions[0], image[0]) : positions[0];
  Value column = inside ? math.clamp(positions[1], image[1]) : positions[1];
  Value element = elements.at(op.getInput(), indexOf(op.getInput(), plane, row, column));
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
SmallVector<Value> MaxPoolWindows::find(Value plane, ArrayRef<Value> at, unsigned dim, Value inside,
                                        ArrayRef<Value> positions, ValueRange best) {
  auto body = [&](Value offset, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> longer(positions);
    longer.push_back(emitWindowPosition(elements, window, dim, at[dim], offset));
    Value isIn =
        emitBoth(elements.b, inside,
                 emitInside(elements, window, dim, longer.back(), image[dim], pooled[dim]));
    return dim == 0 ? find(plane, at, 1, isIn, longer, carried)
                    : better(plane, isIn, longer, carried);
  };
  IndexMath &math = elements.math;
  return emitLoop(elements.b, math.constant(0), math.constant(window.sizes[dim]), best, body);
}

Value MaxPoolWindows::findGreatest(Value plane, Value row, Value column) {
  Type type = computeType(op.getInput().getType().getElementType());
  Value least = emitNumber(elements.b, type, -INFINITY);
  return find(plane, {row, column}, 0, {}, {}, {least, elements.math.constant(-1)})[1];
}

} // namespace pcc::lower
