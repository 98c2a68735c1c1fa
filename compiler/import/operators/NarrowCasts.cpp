// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds floats with arithmetic that is exact in f32: products with powers of two, and rounding to
// whole numbers. A number is first scaled into the range of the least exponent of the narrow type,
// where its numbers have equal distances:
//
//   x = y * unit,  |y| < 2^(least exponent + 1)
//   rounded x = round(y / distance) * distance * unit
//
// The scale is found bit by bit of the exponent, the highest first: five steps for 32 exponents.
#include "compiler/import/operators/NarrowCasts.h"

#include "compiler/import/files/NarrowTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

using graph::Direction;

double power(int exponent) { return std::ldexp(1.0, exponent); }

/// Rounds the tensor `x` of f32 or f64 to the numbers of a narrow float type.
class Rounder {
public:
  Rounder(Emitter &emit, const Tensor &x, FloatType type, const NarrowRounding &rounding)
      : emit(emit), x(x), semantics(type.getFloatSemantics()), rounding(rounding) {}

  /// Returns the nearest numbers.
  Tensor nearest() {
    int least = llvm::APFloat::semanticsMinExponent(semantics);
    int range = llvm::APFloat::semanticsMaxExponent(semantics) - least;
    Scaled scaled{x, emit.scalarLike(x, 1.0)};
    for (int step = llvm::PowerOf2Ceil(range + 1) / 2; step > 0; step /= 2)
      divideIf(scaled, Direction::GE, power(least + step), power(step));
    int distance = least - int(llvm::APFloat::semanticsPrecision(semantics)) + 1;
    Tensor whole = emit.unary<graph::RoundOp>(emit.times(scaled.number, power(-distance)));
    return limit(emit.binary<graph::MulOp>(emit.times(whole, power(distance)), scaled.unit));
  }

  /// Returns powers of two, as f8E8M0FNU has them; numbers below the least one become it.
  Tensor toPower() {
    Scaled scaled{x, emit.scalarLike(x, 1.0)};
    for (int step = 64; step > 0; step /= 2)
      divideIf(scaled, Direction::GE, power(step), power(step));
    for (int step = 64; step > 0; step /= 2)
      divideIf(scaled, Direction::LT, power(1 - step), power(-step));
    Tensor isNext; // scaled numbers are in [1, 2)
    if (rounding.mode == "up")
      isNext = compare(scaled.number, Direction::GT, 1.0);
    else if (rounding.mode == "nearest")
      isNext = compare(scaled.number, Direction::GE, 1.5);
    else if (rounding.mode != "down")
      emit.error() << "expected attribute 'round_mode' to be 'up', 'down' or 'nearest', got '"
                   << rounding.mode << "'";
    else
      return limit(scaled.unit);
    return limit(isNext ? emit.select(isNext, emit.times(scaled.unit, 2.0), scaled.unit) : isNext);
  }

private:
  /// x = number * unit.
  struct Scaled {
    Tensor number, unit;
  };

  Tensor compare(const Tensor &value, Direction direction, double bound) {
    return value ? emit.compare(direction, value, emit.scalarLike(value, bound)) : value;
  }

  /// Moves the factor from the number to its unit where the magnitude compares so with `bound`.
  void divideIf(Scaled &scaled, Direction direction, double bound, double factor) {
    if (!scaled.number || !scaled.unit)
      return;
    Tensor isFar = compare(emit.unary<graph::AbsOp>(scaled.number), direction, bound);
    scaled.number = emit.select(isFar, emit.times(scaled.number, 1 / factor), scaled.number);
    Tensor moved = emit.times(scaled.unit, factor);
    scaled.unit = emit.select(isFar, moved, scaled.unit);
  }

  /// Replaces numbers outside of the range. NaN compares with nothing, so it stays in types that
  /// have it; others have -0 instead, as in ONNX's reference.
  Tensor limit(Tensor rounded) {
    if (!rounded)
      return {};
    if (!llvm::APFloat::semanticsHasNaN(semantics))
      rounded = emit.select(emit.compare(Direction::NE, rounded, rounded),
                            emit.scalarLike(rounded, -0.0), rounded);
    double greatest = llvm::APFloat::getLargest(semantics).convertToDouble();
    double outside = rounding.saturates                          ? greatest
                     : llvm::APFloat::semanticsHasInf(semantics) ? HUGE_VAL
                                                                 : std::nan("");
    Tensor upper = emit.select(compare(rounded, Direction::GT, greatest),
                               emit.scalarLike(rounded, outside), rounded);
    if (!upper || !llvm::APFloat::semanticsHasSignedRepr(semantics))
      return upper;
    return emit.select(compare(upper, Direction::LT, -greatest), emit.scalarLike(upper, -outside),
                       upper);
  }

  Emitter &emit;
  const Tensor &x;
  const llvm::fltSemantics &semantics;
  const NarrowRounding &rounding;
};

Tensor castToNarrowFloat(Emitter &emit, const Tensor &x, FloatType type,
                         const NarrowRounding &rounding) {
  Type wide = x.elementType().isF64() ? x.elementType() : emit.attributes().getF32Type();
  Tensor number = emit.cast(x, wide);
  if (!number)
    return {};
  Rounder rounder(emit, number, type, rounding);
  Tensor rounded = isa<Float8E8M0FNUType>(type) ? rounder.toPower() : rounder.nearest();
  Tensor held = emit.cast(rounded, holderOf(type));
  return held ? held.asNarrow(type) : held;
}

/// Keeps the low bits of integers; a signed number has its sign in the highest of them.
Tensor castToNarrowInteger(Emitter &emit, const Tensor &x, IntegerType type) {
  Tensor whole = emit.cast(x, emit.attributes().getI32Type());
  if (!whole)
    return {};
  auto bits = int64_t(1) << type.getWidth();
  auto scalar = [&](int64_t value) {
    return Tensor::of(Constant::scalar(whole.elementType(), value));
  };
  int64_t shift = type.isUnsigned() ? 0 : bits / 2;
  Tensor low =
      emit.binary<graph::AndOp>(emit.binary<graph::AddOp>(whole, scalar(shift)), scalar(bits - 1));
  Tensor number = low ? emit.binary<graph::SubOp>(low, scalar(shift)) : low;
  Tensor held = emit.cast(number, holderOf(type));
  return held ? held.asNarrow(type) : held;
}

} // namespace

Tensor castToStored(Emitter &emit, const Tensor &x, Type type, const NarrowRounding &rounding) {
  if (!x || x.elementType() == type)
    return x;
  if (!isNarrow(type))
    return emit.cast(x, type);
  if (auto floating = dyn_cast<FloatType>(type)) {
    if (!x.known)
      emit.warning() << "no gradient flows through a cast to " << type;
    return castToNarrowFloat(emit, x.held(), floating, rounding);
  }
  return castToNarrowInteger(emit, x.held(), cast<IntegerType>(type));
}

} // namespace pcc::import
