// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits and joins f32 numbers by their bits, in the manner of frexp and ldexp. Subnormal numbers
// are scaled first. The exponents add up as integers.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/lower/elements/Elements.h"

using namespace mlir;

namespace pcc::lower {
namespace {

/// The parts of an f32's bits.
constexpr int64_t exponentBits = 0xff, mantissaWidth = 23, bias = 127;
constexpr int64_t signAndMantissa = 0x807fffff, bitsOfOne = 0x3f800000;
/// Subnormal numbers are multiplied by 2^32, which is exact, to get an exponent.
constexpr int64_t tinyShift = 32;
/// Beyond these exponents every f32 is infinite or zero.
constexpr int64_t farExponent = 400;
constexpr int64_t maxExponent = int64_t(1) << 30;

struct Part {
  Value mantissa, exponent; ///< f32, i32
};

class Emitter {
public:
  explicit Emitter(ImplicitLocOpBuilder &b) : b(b), f32(b.getF32Type()), i32(b.getI32Type()) {}

  Value integer(int64_t value, unsigned width = 32) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getIntegerType(width), APInt(width, value, true, true)));
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(float(value)));
  }
  Value bitsOf(Value number) { return arith::BitcastOp::create(b, i32, number); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value clamp(Value x, int64_t bound) {
    Value least = arith::MaxSIOp::create(b, x, integer(-bound));
    return arith::MinSIOp::create(b, least, integer(bound));
  }

  Value pack(Part part) {
    Value high = arith::ExtSIOp::create(b, b.getI64Type(), part.exponent);
    Value low = arith::ExtUIOp::create(b, b.getI64Type(), bitsOf(part.mantissa));
    return arith::OrIOp::create(b, arith::ShLIOp::create(b, high, integer(32, 64)), low);
  }
  Part unpack(Value packed) {
    Value low = arith::TruncIOp::create(b, i32, packed);
    Value high = arith::ShRSIOp::create(b, packed, integer(32, 64));
    return {arith::BitcastOp::create(b, f32, low), arith::TruncIOp::create(b, i32, high)};
  }

  Part split(Value x);
  Part multiply(Part x, Part y);
  Value join(Part part);

private:
  ImplicitLocOpBuilder &b;
  Type f32, i32;
};

/// Splits an f32 into a part. Zeros, infinities and NaN stay in the mantissa, with exponent 0.
Part Emitter::split(Value x) {
  Value magnitude = arith::AndIOp::create(b, bitsOf(x), integer(0x7fffffff));
  Value isTiny = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, magnitude,
                                       integer(int64_t(1) << mantissaWidth));
  Value normal = select(isTiny, arith::MulFOp::create(b, x, number(0x1p32)), x);
  Value bits = bitsOf(normal);
  Value field = arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, integer(mantissaWidth)),
                                      integer(exponentBits));
  Value below = arith::SubIOp::create(b, field, integer(1)); // wraps around for zeros
  Value isOrdinary =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, below, integer(exponentBits - 1));
  Value mantissa = arith::OrIOp::create(b, arith::AndIOp::create(b, bits, integer(signAndMantissa)),
                                        integer(bitsOfOne));
  Value lost = select(isTiny, integer(bias + tinyShift), integer(bias));
  return {select(isOrdinary, arith::BitcastOp::create(b, f32, mantissa), normal),
          select(isOrdinary, arith::SubIOp::create(b, field, lost), integer(0))};
}

Part Emitter::multiply(Part x, Part y) {
  Value product = arith::MulFOp::create(b, x.mantissa, y.mantissa);
  Value magnitude = arith::AndIOp::create(b, bitsOf(product), integer(0x7fffffff));
  Value isTwo = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, magnitude,
                                      integer(bitsOfOne + (int64_t(1) << mantissaWidth)));
  Value half = arith::MulFOp::create(b, product, number(0.5));
  Value sum = arith::AddIOp::create(b, x.exponent, y.exponent);
  Value exponent = arith::AddIOp::create(b, sum, select(isTwo, integer(1), integer(0)));
  return {select(isTwo, half, product), clamp(exponent, maxExponent)};
}

/// Joins mantissa and exponent in f64, which holds the mantissa times every relevant power.
Value Emitter::join(Part part) {
  constexpr int64_t wideBias = 1023, wideMantissa = 52;
  Value exponent = arith::AddIOp::create(b, clamp(part.exponent, farExponent), integer(wideBias));
  Value bits = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, b.getI64Type(), exponent),
                                     integer(wideMantissa, 64));
  Value power = arith::BitcastOp::create(b, b.getF64Type(), bits);
  Value wide = arith::ExtFOp::create(b, b.getF64Type(), part.mantissa);
  return arith::TruncFOp::create(b, f32, arith::MulFOp::create(b, wide, power));
}

} // namespace

Value emitScaled(ImplicitLocOpBuilder &builder, Value number) {
  Emitter emitter(builder);
  return emitter.pack(emitter.split(number));
}

Value emitScaledProduct(ImplicitLocOpBuilder &builder, Value a, Value b) {
  Emitter emitter(builder);
  return emitter.pack(emitter.multiply(emitter.unpack(a), emitter.unpack(b)));
}

Value emitUnscaled(ImplicitLocOpBuilder &builder, Value part) {
  Emitter emitter(builder);
  return emitter.join(emitter.unpack(part));
}

} // namespace pcc::lower
