// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes elements of pooling ops with loops over the window of one element of the result.
#include "passes/lower/elements/WindowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

Value emitWindowPosition(Elements &elements, const Window &window, unsigned dim, Value at,
                         Value offset) {
  // The position is negative above the image, so IndexMath's arithmetic does not apply.
  ImplicitLocOpBuilder &b = elements.b;
  Value first = elements.math.mul(at, window.strides[dim]);
  Value moved = arith::AddIOp::create(b, first, elements.math.mul(offset, window.dilations[dim]));
  if (window.getLow(dim) == 0)
    return moved;
  return arith::SubIOp::create(b, moved, elements.math.constant(window.getLow(dim)));
}

Value emitInside(Elements &elements, const Window &window, unsigned dim, Value position,
                 int64_t size, int64_t resultSize) {
  int64_t last = window.getPosition(dim, resultSize - 1, window.sizes[dim] - 1);
  if (window.getLow(dim) == 0 && last < size)
    return {};
  return arith::CmpIOp::create(elements.b, arith::CmpIPredicate::ult, position,
                               elements.math.constant(size));
}

namespace {
/// Computes one element of the result of a max_pool or avg_pool.
class Pool {
public:
  Pool(Elements &elements, Operation *op, const Window &window, const Index &index)
      : elements(elements), input(op->getOperand(0)), window(window),
        result(shapeOf(op->getResult(0))), isMax(isa<MaxPoolOp>(op)),
        type(computeType(getElementTypeOrSelf(input.getType()))), index(index) {
    for (unsigned dim : {0, 1})
      at[dim] = elements.math.at(index, dim + 2);
  }

  Value compute(bool countsPadding);

private:
  /// Loops over rows (dim 0), and for each row over columns (dim 1). Carries the maximum, or the
  /// sum and the number of elements.
  SmallVector<Value> combine(unsigned dim, Value inside, Value row, ValueRange carried);
  SmallVector<Value> combineElement(Value inside, Value row, Value column, ValueRange carried);
  Value number(double value) { return emitNumber(elements.b, type, value); }
  Value select(Value inside, Value value, double otherwise) {
    return inside ? arith::SelectOp::create(elements.b, inside, value, number(otherwise)) : value;
  }

  Elements &elements;
  Value input;
  Window window;
  ArrayRef<int64_t> result;
  bool isMax;
  Type type;
  const Index &index;
  Value at[2];
};
} // namespace

SmallVector<Value> Pool::combineElement(Value inside, Value row, Value column, ValueRange carried) {
  ImplicitLocOpBuilder &b = elements.b;
  IndexMath &math = elements.math;
  ArrayRef<int64_t> shape = shapeOf(input);
  Index operand = math.range(index, 0, 2);
  operand.push_back({inside ? math.clamp(row, shape[2]) : row, {shape[2]}});
  operand.push_back({inside ? math.clamp(column, shape[3]) : column, {shape[3]}});
  Value element = select(inside, elements.at(input, operand), isMax ? -INFINITY : 0);
  if (isMax)
    return {arith::MaximumFOp::create(b, carried[0], element)};
  Value sum = arith::AddFOp::create(b, carried[0], element);
  return {sum, arith::AddFOp::create(b, carried[1], select(inside, number(1), 0))};
}

SmallVector<Value> Pool::combine(unsigned dim, Value inside, Value row, ValueRange carried) {
  IndexMath &math = elements.math;
  auto body = [&](Value offset, ValueRange values) -> SmallVector<Value> {
    Value position = emitWindowPosition(elements, window, dim, at[dim], offset);
    Value isIn =
        emitInside(elements, window, dim, position, shapeOf(input)[dim + 2], result[dim + 2]);
    isIn = emitBoth(elements.b, inside, isIn);
    return dim == 0 ? combine(1, isIn, position, values)
                    : combineElement(isIn, row, position, values);
  };
  return emitLoop(elements.b, math.constant(0), math.constant(window.sizes[dim]), carried, body);
}

Value Pool::compute(bool countsPadding) {
  ImplicitLocOpBuilder &b = elements.b;
  if (isMax)
    return combine(0, {}, {}, {number(-INFINITY)})[0];
  SmallVector<Value> sums = combine(0, {}, {}, {number(0), number(0)});
  Value count = countsPadding ? number(double(window.sizes[0]) * double(window.sizes[1])) : sums[1];
  return arith::DivFOp::create(b, sums[0], count);
}

Value Elements::computePooled(Operation *op, const Index &index) {
  if (auto pool = dyn_cast<MaxPoolOp>(op))
    return Pool(*this, op, Window::of(pool), index).compute(false);
  auto pool = cast<AvgPoolOp>(op);
  return Pool(*this, op, Window::of(pool), index).compute(pool.getCountIncludePad());
}

} // namespace pcc::lower
