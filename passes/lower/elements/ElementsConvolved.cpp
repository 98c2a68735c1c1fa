// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes elements of convolutions without an instruction (of f64), and of their gradients: three
// loops over the terms of one sum. A position outside the image, or between the windows, adds zero.
#include "passes/lower/elements/WindowLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {
namespace {

/// Computes one element of a convolution with an input, a weight and a result; one of them is what
/// the op computes.
class Convolution {
public:
  Convolution(Elements &elements, const Index &index, Value input, Value weight, Value result,
              const Window &window)
      : elements(elements), b(elements.b), math(elements.math), index(index), input(input),
        weight(weight), result(result), window(window), inputsPerGroup(shapeOf(weight)[1]),
        outputsPerGroup(shapeOf(weight)[0] / (shapeOf(input)[1] / inputsPerGroup)) {}

  Value forward();
  Value inputGradient();
  Value weightGradient();

private:
  /// Sums `term` over three positions below `counts`.
  Value sum(ArrayRef<int64_t> counts, function_ref<Value(ArrayRef<Value>)> term) {
    SmallVector<Value> positions;
    Type type = computeType(getElementTypeOrSelf(input.getType()));
    return sumFrom(emitNumber(b, type, 0), counts, positions, term);
  }
  Value sumFrom(Value start, ArrayRef<int64_t> counts, SmallVector<Value> &positions,
                function_ref<Value(ArrayRef<Value>)> term);

  /// Returns the element of a tensor at four positions, each clamped into its dimension; zero
  /// unless `condition` holds. A null condition always holds.
  Value elementIf(Value condition, Value tensor, ArrayRef<Value> positions);
  Value product(Value x, Value y) {
    return arith::MulFOp::create(b, x, y, arith::FastMathFlags::contract);
  }
  Value at(unsigned dim) { return math.at(index, dim); }

  /// Returns the input's element that element (`row`, `column`) of the window of a result sees.
  Value seen(Value sample, Value channel, ArrayRef<Value> place, ArrayRef<Value> offset);
  /// Returns the first input channel of the group to which an output channel belongs.
  Value firstInput(Value output) {
    return math.mul(math.div(output, outputsPerGroup), inputsPerGroup);
  }

  Elements &elements;
  ImplicitLocOpBuilder &b;
  IndexMath &math;
  const Index &index;
  Value input, weight, result;
  Window window;
  int64_t inputsPerGroup, outputsPerGroup;
};

Value Convolution::sumFrom(Value start, ArrayRef<int64_t> counts, SmallVector<Value> &positions,
                           function_ref<Value(ArrayRef<Value>)> term) {
  if (counts.empty())
    return arith::AddFOp::create(b, start, term(positions), arith::FastMathFlags::contract);
  auto body = [&](Value position, ValueRange carried) -> SmallVector<Value> {
    positions.push_back(position);
    Value next = sumFrom(carried[0], counts.drop_front(), positions, term);
    positions.pop_back();
    return {next};
  };
  return emitLoop(b, math.constant(0), math.constant(counts.front()), {start}, body)[0];
}

Value Convolution::elementIf(Value condition, Value tensor, ArrayRef<Value> positions) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  Index operand;
  for (auto [dim, position] : llvm::enumerate(positions))
    operand.push_back(
        {condition && dim > 1 ? math.clamp(position, shape[dim]) : position, {shape[dim]}});
  Value element = elements.at(tensor, operand);
  if (!condition)
    return element;
  return arith::SelectOp::create(b, condition, element, emitNumber(b, element.getType(), 0));
}

Value Convolution::seen(Value sample, Value channel, ArrayRef<Value> place,
                        ArrayRef<Value> offset) {
  SmallVector<Value> positions = {sample, channel};
  Value inside;
  for (unsigned dim : {0, 1}) {
    Value position = emitWindowPosition(elements, window, dim, place[dim], offset[dim]);
    inside = emitBoth(b, inside,
                      emitInside(elements, window, dim, position, shapeOf(input)[dim + 2],
                                 shapeOf(result)[dim + 2]));
    positions.push_back(position);
  }
  return elementIf(inside, input, positions);
}

/// Sums over the input channels of the group and the window.
Value Convolution::forward() {
  Value sample = at(0), output = at(1), place[] = {at(2), at(3)};
  Value first = firstInput(output);
  return sum({inputsPerGroup, window.sizes[0], window.sizes[1]}, [&](ArrayRef<Value> n) {
    Value element = seen(sample, math.add(first, n[0]), place, n.drop_front());
    return product(element, elementIf({}, weight, {output, n[0], n[1], n[2]}));
  });
}

/// Sums over the output channels of the group and the windows that see the element: those whose
/// distance is a multiple of the stride.
Value Convolution::inputGradient() {
  Value sample = at(0), channel = at(1), place[] = {at(2), at(3)};
  Value inGroup = math.rem(channel, inputsPerGroup);
  Value first = math.mul(math.div(channel, inputsPerGroup), outputsPerGroup);
  return sum({outputsPerGroup, window.sizes[0], window.sizes[1]}, [&](ArrayRef<Value> n) {
    Value output = math.add(first, n[0]), isSeen;
    SmallVector<Value> positions = {sample, output};
    for (unsigned dim : {0, 1}) {
      Value padded = math.add(place[dim], math.constant(window.getLow(dim)));
      Value distance =
          arith::SubIOp::create(b, padded, math.mul(n[dim + 1], window.dilations[dim]));
      Value safe = arith::MaxSIOp::create(b, distance, math.constant(0));
      Value position = math.div(safe, window.strides[dim]);
      // A negative distance is another one than that of `position`.
      Value exact = math.mul(position, window.strides[dim]);
      Value isExact = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, exact, distance);
      Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position,
                                             math.constant(shapeOf(result)[dim + 2]));
      isSeen = emitBoth(b, isSeen, emitBoth(b, isExact, isInside));
      positions.push_back(position);
    }
    Value gradient = elementIf(isSeen, result, positions);
    return product(gradient, elementIf({}, weight, {output, inGroup, n[1], n[2]}));
  });
}

/// Sums over the samples and the results.
Value Convolution::weightGradient() {
  Value output = at(0), offset[] = {at(2), at(3)};
  Value channel = math.add(firstInput(output), at(1));
  ArrayRef<int64_t> sizes = shapeOf(result);
  return sum({sizes[0], sizes[2], sizes[3]}, [&](ArrayRef<Value> n) {
    Value element = seen(n[0], channel, n.drop_front(), offset);
    return product(element, elementIf({}, result, {n[0], output, n[1], n[2]}));
  });
}

} // namespace

Value Elements::computeConvolved(Operation *op, const Index &index) {
  auto make = [&](auto op, Value input, Value weight, Value result) {
    return Convolution(*this, index, input, weight, result, Window::of(op));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](Conv2dOp op) {
        return make(op, op.getInput(), op.getWeight(), op.getResult()).forward();
      })
      .Case([&](Conv2dInputGradientOp op) {
        return make(op, op.getResult(), op.getWeight(), op.getGradient()).inputGradient();
      })
      .Case([&](Conv2dWeightGradientOp op) {
        return make(op, op.getInput(), op.getResult(), op.getGradient()).weightGradient();
      });
}

} // namespace pcc::lower
