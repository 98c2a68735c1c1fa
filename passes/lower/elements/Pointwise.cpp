// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of elementwise ops, and reductions one element at a time.
//
// Fast-math: contract, nsz and arcp everywhere, but no arcp in f64, whose quotients are rounded
// once, also where LLVM computes them in f32; reassoc on sums of reductions only. No nnan and no
// ninf: infinities in masks and NaN in diverged runs keep their meaning.
#include "passes/lower/elements/Elements.h"

#include "dialects/graph/Gelu.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numbers>

using namespace mlir;
using namespace pcc::graph;

namespace pcc::lower {

static constexpr auto fast =
    arith::FastMathFlags::contract | arith::FastMathFlags::nsz | arith::FastMathFlags::arcp;
static constexpr auto exact = arith::FastMathFlags::contract | arith::FastMathFlags::nsz;

Value emitNumber(ImplicitLocOpBuilder &b, Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(floatType, value));
  // The conversion saturates at the type's limits; NaN gives 0.
  bool isUnsigned = type.isInteger(1) || type.isUnsignedInteger();
  llvm::APSInt integer(type.getIntOrFloatBitWidth(), isUnsigned);
  bool isExact;
  llvm::APFloat(value).convertToInteger(integer, llvm::APFloat::rmTowardZero, &isExact);
  return arith::ConstantOp::create(b, b.getIntegerAttr(computeType(type), integer));
}

Value emitBoth(ImplicitLocOpBuilder &b, Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, a, c);
}

namespace {
/// Short names for one op's arithmetic; `F` for floats, `I` for integers, `U` for unsigned ones.
struct Pointwise {
  ImplicitLocOpBuilder &b;
  ArrayRef<Value> in;
  Type element; ///< of the first operand, in the graph: it says whether integers have a sign

  Type type() const { return in[0].getType(); }
  bool isFloat() const { return isa<FloatType>(type()); }
  bool isUnsigned() const { return element.isUnsignedInteger(); }
  Value number(double value) { return emitNumber(b, isUnsigned() ? element : type(), value); }

  template <typename OpT> Value f(Value x) { return OpT::create(b, x, fast); }
  template <typename OpT> Value f(Value x, Value y) { return OpT::create(b, x, y, fast); }
  template <typename OpT> Value i(Value x, Value y) { return OpT::create(b, x, y); }
  template <typename F, typename I> Value either(Value x, Value y) {
    return isFloat() ? f<F>(x, y) : i<I>(x, y);
  }

  Value add(Value x, Value y) { return either<arith::AddFOp, arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return either<arith::SubFOp, arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return either<arith::MulFOp, arith::MulIOp>(x, y); }
  Value div(Value x, Value y) {
    if (x.getType().isF64())
      return arith::DivFOp::create(b, x, y, exact);
    return isFloat() ? f<arith::DivFOp>(x, y) : quotient(x, y);
  }
  template <typename F, typename I, typename U> Value bySign(Value x, Value y) {
    return isUnsigned() ? i<U>(x, y) : either<F, I>(x, y);
  }
  Value max(Value x, Value y) {
    return bySign<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(x, y);
  }
  Value min(Value x, Value y) {
    return bySign<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(x, y);
  }
  Value neg(Value x) { return isFloat() ? f<arith::NegFOp>(x) : sub(number(0), x); }
  Value exp(Value x);
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }

  Value greater(Value x, Value y) { return compare(Direction::GT, x, y); }
  Value compare(Direction direction, Value x, Value y) {
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    static constexpr F onFloats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
    static constexpr I onIntegers[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
    static constexpr I onUnsigned[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
    unsigned n = unsigned(direction);
    if (isa<FloatType>(x.getType()))
      return arith::CmpFOp::create(b, onFloats[n], x, y);
    bool hasNoSign = x.getType().isInteger(1) || isUnsigned();
    return arith::CmpIOp::create(b, hasNoSign ? onUnsigned[n] : onIntegers[n], x, y);
  }

  Value sigmoid(Value x) { return div(number(1), add(number(1), exp(neg(x)))); }
  /// max(x, 0) + log(1 + exp(-|x|)): no overflow on either side.
  Value softplus(Value x) {
    Value tail = exp(neg(f<math::AbsFOp>(x)));
    return add(max(x, number(0)), f<math::Log1pOp>(tail));
  }
  /// alpha (exp(x) - 1) below zero.
  Value elu(Value x, double alpha) {
    Value below = mul(number(alpha), f<math::ExpM1Op>(min(x, number(0))));
    return select(greater(x, number(0)), x, below);
  }
  Value gelu(Value x, GeluForm form) {
    Value inner;
    if (form == GeluForm::Exact) {
      inner = f<math::ErfOp>(mul(x, number(1 / std::numbers::sqrt2)));
    } else {
      Value cube = mul(mul(x, x), mul(x, number(geluCubic)));
      inner = f<math::TanhOp>(mul(add(x, cube), number(geluScale)));
    }
    return mul(mul(number(0.5), x), add(number(1), inner));
  }
  /// -1, 0 or 1; a float that is zero or NaN is its own sign.
  Value sign(Value x) {
    Value zero = number(0);
    if (isUnsigned())
      return select(greater(x, zero), number(1), zero);
    Value below = select(compare(Direction::LT, x, zero), number(-1), isFloat() ? x : zero);
    return select(greater(x, zero), number(1), below);
  }
  Value remainder(Value x, Value y) {
    if (isUnsigned())
      return i<arith::RemUIOp>(x, harmlessDivisor(y));
    return isFloat() ? f<arith::RemFOp>(x, y) : i<arith::RemSIOp>(x, harmlessDivisor(y));
  }
  /// Returns `y`, but 1 for 0 and -1. A CPU traps on a division by 0, and on the least integer by
  /// -1. Without signs only 0 is replaced.
  Value harmlessDivisor(Value y) {
    if (isUnsigned())
      return i<arith::MaxUIOp>(y, number(1));
    Value isHarmful = arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                            i<arith::AddIOp>(y, number(1)), number(1));
    return select(isHarmful, number(1), y);
  }
  /// Divides toward zero. The least integer by -1 wraps to itself. A division by 0, which is
  /// undefined, gives `x`.
  Value quotient(Value x, Value y) {
    if (isUnsigned())
      return i<arith::DivUIOp>(x, harmlessDivisor(y));
    Value isMinusOne = compare(Direction::EQ, y, number(-1));
    return select(isMinusOne, neg(x), i<arith::DivSIOp>(x, harmlessDivisor(y)));
  }
  Value abs(Value x) {
    if (isUnsigned())
      return x;
    return isFloat() ? f<math::AbsFOp>(x) : max(x, neg(x));
  }
  Value clamp(Value x, double low, double high) {
    if (!isFloat()) {
      low = std::ceil(low);
      high = std::floor(high);
    }
    return min(max(x, number(low)), number(high));
  }
  Value complement(Value x) {
    Value ones = arith::ConstantOp::create(b, b.getIntegerAttr(x.getType(), -1));
    return arith::XOrIOp::create(b, x, ones);
  }
  Value cast(Value x, Type to);
};
} // namespace

/// Emits exp. In f32 MLIR's polynomial ends at its last finite values. Beyond them the result is 0
/// or infinity, so a mask of -inf gives an exact zero. NaN passes through. In f64 it is a call.
Value Pointwise::exp(Value x) {
  Value inside = f<math::ExpOp>(x);
  if (x.getType().isF64())
    return inside;
  Value overflows = compare(Direction::GT, x, number(88.7228317));
  Value vanishes = compare(Direction::LT, x, number(-87.3365479));
  Value upper = select(overflows, number(INFINITY), inside);
  return select(vanishes, number(0), upper);
}

/// Converts floats to integers through i64, so that values that do not fit a narrow type wrap. NaN
/// becomes 0; beyond 64 bits the result is the nearest 64-bit integer. LLVM's own conversion has no
/// defined result there, so it never sees such a number.
static Value floatToInteger(Pointwise &p, Value x, Type to) {
  ImplicitLocOpBuilder &b = p.b;
  Type i64 = b.getI64Type();
  auto integer = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(i64, int64_t(value)));
  };
  auto holds = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, emitNumber(b, x.getType(), bound));
  };
  constexpr uint64_t highest = uint64_t(1) << 63;
  using F = arith::CmpFPredicate;
  Value isHigh = holds(F::OGE, 0x1p63), isLow = holds(F::OLT, -0x1p63);
  Value isInside = arith::AndIOp::create(b, holds(F::OLT, 0x1p63), holds(F::OGE, -0x1p63));
  Value zero = emitNumber(b, x.getType(), 0);
  Value wide = arith::FPToSIOp::create(b, i64, p.select(isInside, x, zero));
  wide = p.select(isLow, integer(highest), wide);
  if (!to.isUnsignedInteger(64)) {
    wide = p.select(isHigh, integer(highest - 1), wide);
    return to.isInteger(64) ? wide : Value(arith::TruncIOp::create(b, computeType(to), wide));
  }
  // The upper half of ui64: what remains after 2^63.
  Value isUpper = arith::AndIOp::create(b, isHigh, holds(F::OLT, 0x1p64));
  Value rest = p.f<arith::SubFOp>(x, emitNumber(b, x.getType(), 0x1p63));
  Value restBits = arith::FPToSIOp::create(b, i64, p.select(isUpper, rest, zero));
  Value upper = arith::OrIOp::create(b, restBits, integer(highest));
  return p.select(isUpper, upper, p.select(isHigh, integer(~uint64_t(0)), wide));
}

/// Rounds f64 to f32 such that a second rounding to a narrower type is as good as one: an inexact
/// result gets the neighbor whose last bit is set.
static Value roundToOdd(ImplicitLocOpBuilder &b, Value x) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto integer = [&](int32_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
  Value rounded = arith::TruncFOp::create(b, f32, x);
  Value back = arith::ExtFOp::create(b, x.getType(), rounded);
  Value bits = arith::BitcastOp::create(b, i32, rounded);
  Value isEven = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       arith::AndIOp::create(b, bits, integer(1)), integer(0));
  Value isInexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
  Value isBeyond =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back).getResult(),
                            math::AbsFOp::create(b, x).getResult());
  Value step = arith::SelectOp::create(b, isBeyond, integer(-1), integer(1));
  Value moved = arith::BitcastOp::create(b, f32, arith::AddIOp::create(b, bits, step));
  return arith::SelectOp::create(b, arith::AndIOp::create(b, isInexact, isEven), moved, rounded);
}

static Value floatToFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type wide = computeType(to);
  if (wide == x.getType())
    return x;
  if (wide.isF64())
    return arith::ExtFOp::create(b, wide, x);
  return to == wide ? arith::TruncFOp::create(b, wide, x) : roundToOdd(b, x);
}

/// Converts an element of type `element` to one of `to`, both types of the graph.
Value Pointwise::cast(Value x, Type to) {
  Type from = x.getType(), result = computeType(to);
  bool hasNoSign = from.isInteger(1) || isUnsigned();
  if (to.isInteger(1))
    return from == to ? x : compare(Direction::NE, x, number(0));
  if (isFloat())
    return isa<FloatType>(to) ? floatToFloat(b, x, to) : floatToInteger(*this, x, to);
  if (isa<FloatType>(to))
    return hasNoSign ? Value(arith::UIToFPOp::create(b, result, x))
                     : Value(arith::SIToFPOp::create(b, result, x));
  unsigned width = from.getIntOrFloatBitWidth(), newWidth = result.getIntOrFloatBitWidth();
  if (width == newWidth)
    return x;
  if (width > newWidth)
    return arith::TruncIOp::create(b, result, x);
  return hasNoSign ? Value(arith::ExtUIOp::create(b, result, x))
                   : Value(arith::ExtSIOp::create(b, result, x));
}

/// Emits functions of one number.
static Value emitFunction(Pointwise &p, Operation *op) {
  Value x = p.in[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<NegOp>([&](auto) { return p.neg(x); })
      .Case<AbsOp>([&](auto) { return p.abs(x); })
      .Case<SignOp>([&](auto) { return p.sign(x); })
      .Case<ExpOp>([&](auto) { return p.exp(x); })
      .Case<LogOp>([&](auto) { return p.f<math::LogOp>(x); })
      .Case<Log1pOp>([&](auto) { return p.f<math::Log1pOp>(x); })
      .Case<SqrtOp>([&](auto) { return p.f<math::SqrtOp>(x); })
      .Case<RsqrtOp>([&](auto) { return p.div(p.number(1), p.f<math::SqrtOp>(x)); })
      .Case<SquareOp>([&](auto) { return p.mul(x, x); })
      .Case<ReciprocalOp>([&](auto) { return p.div(p.number(1), x); })
      .Case<SinOp>([&](auto) { return p.f<math::SinOp>(x); })
      .Case<CosOp>([&](auto) { return p.f<math::CosOp>(x); })
      .Case<TanhOp>([&](auto) { return p.f<math::TanhOp>(x); })
      .Case<ErfOp>([&](auto) { return p.f<math::ErfOp>(x); })
      .Case<FloorOp>([&](auto) { return p.f<math::FloorOp>(x); })
      .Case<CeilOp>([&](auto) { return p.f<math::CeilOp>(x); })
      .Case<RoundOp>([&](auto) { return p.f<math::RoundEvenOp>(x); })
      .Default([](Operation *) { return Value(); });
}

static Value emitActivation(Pointwise &p, Operation *op) {
  Value x = p.in[0];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ReluOp>([&](auto) { return p.max(x, p.number(0)); })
      .Case<LeakyReluOp>([&](auto op) {
        double alpha = op.getAlpha().convertToDouble();
        return p.select(p.greater(x, p.number(0)), x, p.mul(p.number(alpha), x));
      })
      .Case<EluOp>([&](auto op) { return p.elu(x, op.getAlpha().convertToDouble()); })
      .Case<GeluOp>([&](auto op) { return p.gelu(x, op.getForm()); })
      .Case<SigmoidOp>([&](auto) { return p.sigmoid(x); })
      .Case<SiluOp>([&](auto) { return p.div(x, p.add(p.number(1), p.exp(p.neg(x)))); })
      .Case<SoftplusOp>([&](auto) { return p.softplus(x); })
      .Case<ClampOp>([&](auto op) {
        return p.clamp(x, op.getLow().convertToDouble(), op.getHigh().convertToDouble());
      })
      .Case<NotOp>([&](auto) { return p.complement(x); })
      .Case<CastOp>([&](CastOp op) { return p.cast(x, op.getType().getElementType()); })
      .Default([](Operation *) { return Value(); });
}

static Value emitArithmetic(Pointwise &p, Operation *op) {
  Value x = p.in[0], y = p.in[1];
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AddOp>([&](auto) { return p.add(x, y); })
      .Case<SubOp>([&](auto) { return p.sub(x, y); })
      .Case<MulOp>([&](auto) { return p.mul(x, y); })
      .Case<DivOp>([&](auto) { return p.div(x, y); })
      .Case<PowOp>([&](auto) { return p.f<math::PowFOp>(x, y); })
      .Case<MaxOp>([&](auto) { return p.max(x, y); })
      .Case<MinOp>([&](auto) { return p.min(x, y); })
      .Case<ModOp>([&](auto) { return p.remainder(x, y); })
      .Case<AndOp>([&](auto) { return p.i<arith::AndIOp>(x, y); })
      .Case<OrOp>([&](auto) { return p.i<arith::OrIOp>(x, y); })
      .Case<CompareOp>([&](auto op) { return p.compare(op.getDirection(), x, y); })
      .Case<SelectOp>([&](auto) { return p.select(x, y, p.in[2]); })
      .Default([](Operation *) { return Value(); });
}

Value emitPointwise(ImplicitLocOpBuilder &b, Operation *op, ArrayRef<Value> operands) {
  Pointwise p{b, operands, getElementTypeOrSelf(op->getOperand(0).getType())};
  if (operands.size() > 1)
    return emitArithmetic(p, op);
  Value value = emitFunction(p, op);
  return value ? value : emitActivation(p, op);
}

/// Returns how the op combines elements: an integer matmul sums over k.
static ReduceOpKind kindOf(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce ? reduce.getKind() : ReduceOpKind::Sum;
}

/// Returns the element type of a reduction, and the type of the numbers that it combines.
static Type elementOf(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()); }
static Type combinedType(Operation *op) { return computeType(elementOf(op)); }

/// Returns whether a reduction's accumulators are parts of products (emitScaledProduct). Products
/// of f64 have the range of their type on the way.
static bool isScaled(Operation *op) {
  return kindOf(op) == ReduceOpKind::Prod && combinedType(op).isF32();
}

Type Elements::accumulatorType(Operation *op) {
  return isScaled(op) ? b.getI64Type() : combinedType(op);
}

Value Elements::accumulated(Operation *op, Value element) {
  return isScaled(op) && isa<FloatType>(element.getType()) ? emitScaled(b, element) : element;
}

Value Elements::neutral(Operation *op) {
  Type type = combinedType(op);
  auto extreme = [&](bool least) -> Value {
    if (isa<FloatType>(type))
      return emitNumber(b, type, least ? -INFINITY : INFINITY);
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = elementOf(op).isUnsignedInteger();
    APInt value = least ? llvm::APSInt::getMinValue(width, isUnsigned)
                        : llvm::APSInt::getMaxValue(width, isUnsigned);
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  switch (kindOf(op)) {
  case ReduceOpKind::Sum:
  case ReduceOpKind::Mean:
    return emitNumber(b, type, 0);
  case ReduceOpKind::Prod:
    return accumulated(op, emitNumber(b, type, 1));
  case ReduceOpKind::Max:
    return extreme(true);
  case ReduceOpKind::Min:
    return extreme(false);
  }
  llvm_unreachable("a reduction");
}

Value Elements::combine(Operation *op, Value accumulator, Value element) {
  Value operands[] = {accumulator, element};
  Pointwise p{b, operands, elementOf(op)};
  constexpr auto anyOrder = fast | arith::FastMathFlags::reassoc;
  switch (kindOf(op)) {
  case ReduceOpKind::Sum:
  case ReduceOpKind::Mean:
    return p.isFloat() ? arith::AddFOp::create(b, accumulator, element, anyOrder).getResult()
                       : p.add(accumulator, element);
  case ReduceOpKind::Prod:
    return isScaled(op) ? emitScaledProduct(b, accumulator, accumulated(op, element))
                        : p.mul(accumulator, element);
  case ReduceOpKind::Max:
    return p.max(accumulator, element);
  case ReduceOpKind::Min:
    return p.min(accumulator, element);
  }
  llvm_unreachable("a reduction");
}

Value Elements::finish(Operation *op, Value accumulator) {
  if (isScaled(op))
    return emitUnscaled(b, accumulator);
  if (kindOf(op) != ReduceOpKind::Mean) // means are for floats only
    return accumulator;
  double count = double(countOf(op->getOperand(0))) / double(countOf(op->getResult(0)));
  Value operands[] = {accumulator};
  Pointwise p{b, operands, elementOf(op)};
  return p.mul(accumulator, p.number(1 / count));
}

} // namespace pcc::lower
