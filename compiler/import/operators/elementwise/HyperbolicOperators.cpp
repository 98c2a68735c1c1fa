// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hyperbolic functions, inverse trigonometric and inverse hyperbolic functions, from graph ops. All
// are computed in f32 and have the accuracy of f32 also near zero. Both branches of a selection
// stay finite, so that derivatives have no NaN. An odd function is computed of the magnitude.
//
// Polynomials are those of Cephes (S. L. Moshier, https://www.netlib.org/cephes), single precision.

#include "compiler/import/operators/Operators.h"
#include <numbers>

using namespace mlir;

namespace pcc::import {
namespace {

/// Expressions of numbers in f32.
class Formula {
public:
  explicit Formula(Emitter &emit) : emit(emit) {}

  Tensor number(const Tensor &like, double value) { return emit.scalarLike(like, value); }
  Tensor add(const Tensor &x, const Tensor &y) { return emit.binary<graph::AddOp>(x, y); }
  Tensor add(const Tensor &x, double y) { return add(x, number(x, y)); }
  Tensor subtract(double x, const Tensor &y) { return emit.binary<graph::SubOp>(number(y, x), y); }
  Tensor multiply(const Tensor &x, const Tensor &y) { return emit.binary<graph::MulOp>(x, y); }
  Tensor multiply(const Tensor &x, double y) { return multiply(x, number(x, y)); }
  Tensor divide(const Tensor &x, const Tensor &y) { return emit.binary<graph::DivOp>(x, y); }
  Tensor sqrt(const Tensor &x) { return emit.unary<graph::SqrtOp>(x); }
  Tensor log1p(const Tensor &x) { return emit.unary<graph::Log1pOp>(x); }
  Tensor atMost(const Tensor &x, double y) { return emit.binary<graph::MinOp>(x, number(x, y)); }
  Tensor atLeast(const Tensor &x, double y) { return emit.binary<graph::MaxOp>(x, number(x, y)); }
  Tensor isAbove(const Tensor &x, double y) {
    return emit.compare(graph::Direction::GT, x, number(x, y));
  }
  Tensor choose(const Tensor &condition, const Tensor &x, const Tensor &y) {
    return emit.select(condition, x, y);
  }
  /// Returns 1 or -1, without a gradient.
  Tensor sign(const Tensor &x) {
    Tensor isBelow = emit.compare(graph::Direction::LT, x, number(x, 0.0));
    return choose(isBelow, number(x, -1.0), number(x, 1.0));
  }
  /// Returns the polynomial of `x` with the coefficients from the highest power on.
  Tensor polynomial(const Tensor &x, llvm::ArrayRef<double> coefficients) {
    Tensor sum = add(multiply(x, coefficients[0]), coefficients[1]);
    for (double next : coefficients.drop_front(2))
      sum = add(multiply(sum, x), next);
    return sum;
  }
  Tensor expm1(const Tensor &x) { return emit.map<graph::EluOp>(x, llvm::APFloat(1.0)); }
  Tensor exp(const Tensor &x) { return emit.unary<graph::ExpOp>(x); }
  Tensor log(const Tensor &x) { return emit.unary<graph::LogOp>(x); }

private:
  Emitter &emit;
};

/// From here on the square of a number is lost beside it, or overflows.
constexpr double large = 1e4;

/// Returns exp(a) / 2, without overflow before the result does.
Tensor halfExp(Formula &f, const Tensor &a) {
  Tensor root = f.exp(f.multiply(a, 0.5));
  return f.multiply(f.multiply(root, 0.5), root);
}

/// Returns sinh of a ≥ 0. With u = exp(-a) - 1, a small result is -u (2 + u) / (2 (1 + u)).
Tensor sinhOf(Formula &f, const Tensor &a) {
  Tensor u = f.expm1(f.multiply(f.atMost(a, 1.0), -1.0));
  Tensor below = f.divide(f.multiply(f.multiply(u, f.add(u, 2.0)), -0.5), f.add(u, 1.0));
  Tensor above = f.add(halfExp(f, a), f.multiply(f.exp(f.multiply(a, -1.0)), -0.5));
  return f.choose(f.isAbove(a, 1.0), above, below);
}

Tensor coshOf(Formula &f, const Tensor &x) {
  Tensor a = f.multiply(x, f.sign(x));
  return f.add(halfExp(f, a), f.multiply(f.exp(f.multiply(a, -1.0)), 0.5));
}

/// Returns log(2 a) for a ≥ 1.
Tensor logTwice(Formula &f, const Tensor &a) {
  return f.add(f.log(f.atLeast(a, 1.0)), std::numbers::ln2);
}

/// Returns asinh of a ≥ 0, log1p(a + a² / (1 + sqrt(1 + a²))).
Tensor asinhOf(Formula &f, const Tensor &a) {
  Tensor b = f.atMost(a, large), square = f.multiply(b, b);
  Tensor root = f.add(f.sqrt(f.add(square, 1.0)), 1.0);
  Tensor below = f.log1p(f.add(b, f.divide(square, root)));
  return f.choose(f.isAbove(a, large), logTwice(f, a), below);
}

/// Returns acosh of x. With t = x - 1 it is log1p(t + sqrt(t (t + 2))).
Tensor acoshOf(Formula &f, const Tensor &x) {
  Tensor t = f.add(f.atMost(x, large), -1.0);
  Tensor below = f.log1p(f.add(t, f.sqrt(f.multiply(t, f.add(t, 2.0)))));
  return f.choose(f.isAbove(x, large), logTwice(f, x), below);
}

/// Returns atanh of 0 ≤ a ≤ 1, log1p(2 a / (1 - a)) / 2.
Tensor atanhOf(Formula &f, const Tensor &a) {
  return f.multiply(f.log1p(f.divide(f.multiply(a, 2.0), f.subtract(1.0, a))), 0.5);
}

/// Returns the arc tangent of a ≥ 0, by that of a number below tan(π/8).
Tensor atanOf(Formula &f, const Tensor &a) {
  constexpr double eighth = 0.41421356237309504880, threeEighths = 2.41421356237309504880;
  Tensor isLarge = f.isAbove(a, threeEighths), isMiddle = f.isAbove(a, eighth);
  Tensor inverse = f.divide(f.number(a, -1.0), f.atLeast(a, 1.0));
  Tensor b = f.atMost(a, 4.0);
  Tensor shifted = f.divide(f.add(b, -1.0), f.add(b, 1.0));
  Tensor z = f.choose(isLarge, inverse, f.choose(isMiddle, shifted, b));
  Tensor offset = f.choose(isLarge, f.number(a, std::numbers::pi / 2),
                           f.choose(isMiddle, f.number(a, std::numbers::pi / 4), f.number(a, 0.0)));
  Tensor square = f.multiply(z, z);
  Tensor series = f.polynomial(
      square, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1});
  return f.add(offset, f.add(z, f.multiply(f.multiply(series, square), z)));
}

/// Returns the arc sine of 0 ≤ a ≤ 1/2; `square` is a².
Tensor asinSeries(Formula &f, const Tensor &a, const Tensor &square) {
  Tensor series = f.polynomial(square, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2,
                                        7.4953002686e-2, 1.6666752422e-1});
  return f.add(a, f.multiply(f.multiply(series, square), a));
}

/// Returns half the arc cosine of a ≥ 1/2, which is asin(sqrt((1 - a) / 2)). Where `isAbove` does
/// not hold, the result is unused and finite.
Tensor halfAcos(Formula &f, const Tensor &a, const Tensor &isAbove) {
  Tensor square = f.multiply(f.subtract(1.0, f.choose(isAbove, a, f.number(a, 0.75))), 0.5);
  return asinSeries(f, f.sqrt(square), square);
}

/// Returns asin of a ≥ 0.
Tensor asinOf(Formula &f, const Tensor &a) {
  Tensor isAbove = f.isAbove(a, 0.5), b = f.atMost(a, 0.5);
  Tensor above = f.add(f.multiply(halfAcos(f, a, isAbove), -2.0), std::numbers::pi / 2);
  return f.choose(isAbove, above, asinSeries(f, b, f.multiply(b, b)));
}

Tensor acosOf(Formula &f, const Tensor &x) {
  Tensor sign = f.sign(x), a = f.multiply(x, sign), isAbove = f.isAbove(a, 0.5);
  Tensor twice = f.multiply(halfAcos(f, a, isAbove), 2.0);
  Tensor isNegative = f.isAbove(f.multiply(sign, -1.0), 0.0);
  Tensor above = f.choose(isNegative, f.subtract(std::numbers::pi, twice), twice);
  Tensor b = f.atMost(a, 0.5);
  Tensor below =
      f.subtract(std::numbers::pi / 2, f.multiply(asinSeries(f, b, f.multiply(b, b)), sign));
  return f.choose(isAbove, above, below);
}

using Function = Tensor (*)(Formula &, const Tensor &);

/// Imports a function of one float.
template <Function function, bool isOdd> LogicalResult importFunction(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  if (!isa<FloatType>(x.elementType()))
    return emit.error() << "expected floats, got " << x.type;
  Formula f(emit);
  Type f32 = Float32Type::get(emit.context());
  Tensor wide = x.elementType().isF64() ? x : emit.cast(x, f32);
  Tensor result;
  if (isOdd) {
    Tensor sign = f.sign(wide);
    result = f.multiply(function(f, f.multiply(wide, sign)), sign);
  } else {
    result = function(f, wide);
  }
  return node.setResult(emit.cast(result, x.elementType()));
}

} // namespace

llvm::ArrayRef<Operator> hyperbolicOperators() {
  static const Operator rows[] = {
      {"Acos", 7, 1, 1, FirstInput, importFunction<acosOf, false>},
      {"Acosh", 9, 1, 1, FirstInput, importFunction<acoshOf, false>},
      {"Asin", 7, 1, 1, FirstInput, importFunction<asinOf, true>},
      {"Asinh", 9, 1, 1, FirstInput, importFunction<asinhOf, true>},
      {"Atan", 7, 1, 1, FirstInput, importFunction<atanOf, true>},
      {"Atanh", 9, 1, 1, FirstInput, importFunction<atanhOf, true>},
      {"Cosh", 9, 1, 1, FirstInput, importFunction<coshOf, false>},
      {"Sinh", 9, 1, 1, FirstInput, importFunction<sinhOf, true>},
  };
  return rows;
}

} // namespace pcc::import
