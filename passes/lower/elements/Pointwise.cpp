// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of elementwise ops, and reductions one element at a time.
//
// Fast-math: contract, nsz and arcp everywhere; reassoc on sums of reductions only. No
// nnan and no ninf: infinities in masks and NaN in diverged runs keep their meaning.
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

Value emitNumber(ImplicitLocOpBuilder &b, Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(floatType, value));
  // The conversion saturates at the type's limits; NaN gives 0.
  llvm::APSInt integer(type.getIntOrFloatBitWidth(), /*isUnsigned=*/type.isInteger(1));
  bool isExact;
  llvm::APFloat(value).convertToInteger(integer, llvm::APFloat::rmTowardZero, &isExact);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, integer));
}

Value emitBoth(ImplicitLocOpBuilder &b, Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, a, c);
}

namespace {
/// Short names for one op's arithmetic; `F` for floats, `I` for integers.
struct Pointwise {
  ImplicitLocOpBuilder &b;
  ArrayRef<Value> in;

  Type type() const { return in[0].getType(); }
  bool isFloat() const { return isa<FloatType>(type()); }
  Value number(double value) { return emitNumber(b, type(), value); }

  template <typename OpT> Value f(Value x) { return OpT::create(b, x, fast); }
  template <typename OpT> Value f(Value x, Value y) { return OpT::create(b, x, y, fast); }
  template <typename OpT> Value i(Value x, Value y) { return OpT::create(b, x, y); }
  template <typename F, typename I> Value either(Value x, Value y) {
    return isFloat() ? f<F>(x, y) : i<I>(x, y);
  }

  Value add(Value x, Value y) { return either<arith::AddFOp, arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return either<arith::SubFOp, arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return either<arith::MulFOp, arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return isFloat() ? f<arith::DivFOp>(x, y) : quotient(x, y); }
  Value max(Value x, Value y) { return either<arith::MaximumFOp, arith::MaxSIOp>(x, y); }
  Value min(Value x, Value y) { return either<arith::MinimumFOp, arith::MinSIOp>(x, y); }
  Value neg(Value x) { return isFloat() ? f<arith::NegFOp>(x) : sub(number(0), x); }
  Value exp(Value x);
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }

  Value greater(Value x, Value y) { return compare(Direction::GT, x, y); }
  Value compare(Direction direction, Value x, Value y) {
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    static constexpr F onFloats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
    static constexpr I onIntegers[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
    static constexpr I onBools[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
    unsigned n = unsigned(direction);
    if (isa<FloatType>(x.getType()))
      return arith::CmpFOp::create(b, onFloats[n], x, y);
    return arith::CmpIOp::create(b, x.getType().isInteger(1) ? onBools[n] : onIntegers[n], x, y);
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
    Value below = select(compare(Direction::LT, x, zero), number(-1), isFloat() ? x : zero);
    return select(greater(x, zero), number(1), below);
  }
  Value remainder(Value x, Value y) {
    return isFloat() ? f<arith::RemFOp>(x, y) : i<arith::RemSIOp>(x, harmlessDivisor(y));
  }
  /// Returns `y`, but 1 for 0 and -1. A CPU traps on a division by 0, and on the least integer by
  /// -1.
  Value harmlessDivisor(Value y) {
    Value isHarmful = arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                            i<arith::AddIOp>(y, number(1)), number(1));
    return select(isHarmful, number(1), y);
  }
  /// Divides toward zero. The least integer by -1 wraps to itself. A division by 0, which is
  /// undefined, gives `x`.
  Value quotient(Value x, Value y) {
    Value isMinusOne = compare(Direction::EQ, y, number(-1));
    return select(isMinusOne, neg(x), i<arith::DivSIOp>(x, harmlessDivisor(y)));
  }
  Value abs(Value x) { return isFloat() ? f<math::AbsFOp>(x) : max(x, neg(x)); }
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

/// Emits exp by MLIR's polynomial, which ends at its last finite values. Beyond them the result is
/// 0 or infinity, so a mask of -inf gives an exact zero. NaN passes through.
Value Pointwise::exp(Value x) {
  Value inside = f<math::ExpOp>(x);
  Value overflows = compare(Direction::GT, x, number(88.7228317));
  Value vanishes = compare(Direction::LT, x, number(-87.3365479));
  Value upper = select(overflows, number(INFINITY), inside);
  return select(vanishes, number(0), upper);
}

/// Converts floats to integers through i64, so that values that do not fit a narrow type wrap. NaN
/// becomes 0.
static Value floatToInteger(Pointwise &p, Value x, Type to) {
  ImplicitLocOpBuilder &b = p.b;
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x, x);
  Value number = arith::SelectOp::create(b, isNumber, x, emitNumber(b, x.getType(), 0));
  Value wide = arith::FPToSIOp::create(b, b.getI64Type(), number);
  return to.isInteger(64) ? wide : Value(arith::TruncIOp::create(b, to, wide));
}

Value Pointwise::cast(Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (to.isInteger(1))
    return compare(Direction::NE, x, number(0));
  if (isa<FloatType>(to))
    return from.isInteger(1) ? Value(arith::UIToFPOp::create(b, to, x))
                             : Value(arith::SIToFPOp::create(b, to, x));
  if (isa<FloatType>(from))
    return floatToInteger(*this, x, to);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, to, x);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, to, x);
  return arith::ExtSIOp::create(b, to, x);
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
      .Case<CastOp>(
          [&](CastOp op) { return p.cast(x, computeType(op.getType().getElementType())); })
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
  Pointwise p{b, operands};
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

/// Returns the type of the numbers that a reduction combines.
static Type combinedType(Operation *op) {
  return computeType(getElementTypeOrSelf(op->getResult(0).getType()));
}

/// Returns whether a reduction's accumulators are parts of products (emitScaledProduct).
static bool isScaled(Operation *op) {
  return kindOf(op) == ReduceOpKind::Prod && isa<FloatType>(combinedType(op));
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
    APInt value = least ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
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
  Pointwise p{b, operands};
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
  Pointwise p{b, operands};
  return p.mul(accumulator, p.number(1 / count));
}

} // namespace pcc::lower
