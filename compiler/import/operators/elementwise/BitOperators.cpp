// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on the bits of integers, and infinities. Shifts are products and quotients by powers of
// two, one for each bit of the shift amount.

#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/elementwise/ElementwiseHandlers.h"
#include "compiler/values/TensorAttr.h"
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

/// Calls `handler` for integers only.
template <LogicalResult (*handler)(Node &)> LogicalResult onIntegers(Node &node) {
  for (const Tensor &input : node.allInputs())
    if (!isa<IntegerType>(input.elementType()) || input.elementType().isInteger(1))
      return node.emit.error() << "expected integers, got " << input.elementType();
  return handler(node);
}

/// Imports (x or y) and not (x and y).
LogicalResult importXor(Node &node) {
  Emitter &emit = node.emit;
  Tensor either = emit.binary<graph::OrOp>(node.input(0), node.input(1));
  Tensor both = emit.binary<graph::AndOp>(node.input(0), node.input(1));
  Tensor notBoth = both ? emit.unary<graph::NotOp>(both) : Tensor();
  return node.setResult(emit.binary<graph::AndOp>(either, notBoth));
}

/// Returns an integer scalar of `like`'s type. Unlike Emitter::scalar, which takes a double, it is
/// exact beyond 2^53.
Tensor integer(Emitter &emit, const Tensor &like, int64_t value) {
  return Tensor::of(Constant::scalar(like.elementType(), value));
}

/// Shifts `x` by `bits`, a power of two, where the shift amount `y` has this bit set.
Tensor shiftBit(Emitter &emit, const Tensor &x, const Tensor &y, int64_t bits, bool isLeft) {
  Tensor bit = emit.binary<graph::AndOp>(y, integer(emit, y, bits));
  Tensor isSet = emit.compare(graph::Direction::NE, bit, integer(emit, y, 0));
  Tensor power = integer(emit, x, int64_t(uint64_t(1) << bits));
  Tensor moved = isLeft ? emit.binary<graph::MulOp>(x, power) : emit.binary<graph::DivOp>(x, power);
  return emit.select(isSet, moved, x);
}

/// Imports BitShift. Torch also shifts signed integers: a negative number is shifted to the right
/// as its complement, since quotients are rounded to zero. If the shift amount is no bit number of
/// the type, the result is that of shifting all bits out.
LogicalResult importShift(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), y = node.input(1);
  std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return emit.error() << "expected attribute 'direction' to be 'LEFT' or 'RIGHT', got '"
                        << direction << "'";
  bool isLeft = direction == "LEFT";
  auto width = static_cast<int64_t>(x.elementType().getIntOrFloatBitWidth());
  Tensor zero = integer(emit, x, 0);
  Tensor isNegative = emit.compare(graph::Direction::LT, x, zero);
  Tensor result = isLeft ? x : emit.select(isNegative, emit.unary<graph::NotOp>(x), x);
  for (int64_t bits = 1; bits < width && result; bits *= 2)
    result = shiftBit(emit, result, y, bits, isLeft);
  Tensor isOutside =
      emit.binary<graph::OrOp>(emit.compare(graph::Direction::LT, y, zero),
                               emit.compare(graph::Direction::GE, y, integer(emit, y, width)));
  result = emit.select(isOutside, zero, result);
  if (!isLeft && result)
    result = emit.select(isNegative, emit.unary<graph::NotOp>(result), result);
  return node.setResult(result);
}

/// Returns the bits of an element as an integer.
int64_t bitsOf(Element element, Type type) {
  auto number = dyn_cast<FloatType>(type);
  if (!number)
    return element.i;
  bool isInexact = false;
  llvm::APFloat value(element.f);
  value.convert(number.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return static_cast<int64_t>(value.bitcastToAPInt().getZExtValue());
}

/// Returns the element of `type` with these bits.
Element elementOf(int64_t bits, Type type) {
  auto number = dyn_cast<FloatType>(type);
  if (!number)
    return {.i = values::wrapTo(*values::elementTypeOf(type), bits)};
  bool isInexact = false;
  llvm::APInt pattern(64, static_cast<uint64_t>(bits));
  llvm::APFloat value(number.getFloatSemantics(), pattern.trunc(number.getWidth()));
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return {.f = value.convertToDouble()};
}

/// Imports BitCast. Between integers it is a cast, which keeps the bits. A compiled program cannot
/// reinterpret floats, so these must be known at import.
LogicalResult importBitCast(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  int64_t number = node.integer("to", 0);
  Type type = elementTypeOf(static_cast<int32_t>(number), *emit.context());
  if (!type || !isGraphElement(type) || !isGraphElement(x.elementType()))
    return emit.error() << "bits of ONNX type number " << number << " and of " << x.type
                        << " are not supported";
  auto width = [](Type type) { return values::byteWidth(*values::elementTypeOf(type)); };
  if (width(type) != width(x.elementType()))
    return emit.error() << "expected types of one size, got " << x.elementType() << " and " << type;
  if (type == x.elementType() || (!isa<FloatType>(type) && !isa<FloatType>(x.elementType())))
    return node.setResult(emit.cast(x, type));
  if (!x.known)
    return emit.error()
           << "a compiled program cannot reinterpret floats: expected an input that is "
              "known at import, got "
           << x.type;
  values::Tensor elements(*values::elementTypeOf(type), x.known->elements.getShape());
  for (auto [to, from] : llvm::zip_equal(elements.mutableElements(), x.known->elements.elements()))
    to = elementOf(bitsOf(from, x.elementType()), type);
  return node.setResult(Tensor::of(Constant{x.type.clone(type), std::move(elements)}));
}

LogicalResult importIsInf(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  bool negative = node.integer("detect_negative", 1) != 0;
  bool positive = node.integer("detect_positive", 1) != 0;
  if (!isa<FloatType>(x.elementType()))
    return emit.error() << "expected floats, got " << x.type;
  if (!negative && !positive) {
    Tensor no = emit.scalar(emit.attributes().getI1Type(), 0.0);
    return node.setResult(emit.broadcast(no, x.shape()));
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor number = negative && positive ? emit.unary<graph::AbsOp>(x) : x;
  return node.setResult(emit.compare(graph::Direction::EQ, number,
                                     emit.scalarLike(x, positive ? infinity : -infinity)));
}

} // namespace

llvm::ArrayRef<Operator> bitOperators() {
  static const Operator rows[] = {
      {"BitCast", 26, 1, 1, NoGradient, importBitCast},
      {"BitShift", 11, 2, 2, NoGradient, onIntegers<importShift>},
      {"BitwiseAnd", 18, 2, 2, NoGradient, onIntegers<importBinary<graph::AndOp>>},
      {"BitwiseNot", 18, 1, 1, NoGradient, onIntegers<importUnary<graph::NotOp>>},
      {"BitwiseOr", 18, 2, 2, NoGradient, onIntegers<importBinary<graph::OrOp>>},
      {"BitwiseXor", 18, 2, 2, NoGradient, onIntegers<importXor>},
      {"IsInf", 10, 1, 1, NoGradient, importIsInf},
  };
  return rows;
}

} // namespace pcc::import
