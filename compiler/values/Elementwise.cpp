// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops without attributes: one row per op, with its functions of floats and of integers.
// A null entry is a type that the op does not support. Then comparisons, selection and casts.

#include "compiler/values/Compute.h"
#include "compiler/values/Map.h"
#include "compiler/values/Scalars.h"

namespace pcc::values {
namespace {

struct Unary {
  llvm::StringLiteral op;
  double (*onFloats)(double);
  int64_t (*onIntegers)(int64_t) = nullptr;
  int64_t (*onUnsigned)(int64_t) = onIntegers; ///< of elements without a sign
};

struct Binary {
  llvm::StringLiteral op;
  double (*onFloats)(double, double);
  int64_t (*onIntegers)(int64_t, int64_t) = nullptr;
  bool divides = false;                                 ///< an integer divisor of 0 has no result
  uint64_t (*onUnsigned)(uint64_t, uint64_t) = nullptr; ///< null: as onIntegers
};

double negate(double x) { return -x; }
int64_t negate(int64_t x) { return subtract(int64_t(0), x); }
double magnitude(double x) { return std::fabs(x); }
int64_t magnitude(int64_t x) { return x < 0 ? negate(x) : x; }
double square(double x) { return x * x; }
int64_t square(int64_t x) { return multiply(x, x); }
int64_t sign(int64_t x) { return (x > 0) - (x < 0); }
/// Returns NaN and signed zeros unchanged.
double sign(double x) { return std::isnan(x) || x == 0.0 ? x : std::copysign(1.0, x); }
double reciprocal(double x) { return 1.0 / x; }
double reciprocalSquareRoot(double x) { return 1.0 / std::sqrt(x); }
int64_t complement(int64_t x) { return ~x; }
int64_t same(int64_t x) { return x; }
int64_t isNotZero(int64_t x) { return x != 0; }

double relu(double x) { return maximum(x, 0.0); }
int64_t relu(int64_t x) { return maximum(x, int64_t(0)); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double silu(double x) { return x / (1.0 + std::exp(-x)); }
/// Computes log(1 + exp(x)) without overflow.
double softplus(double x) { return maximum(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

double quotient(double x, double y) { return x / y; }
/// Rounds towards zero; the least integer divided by -1 wraps to itself.
int64_t quotient(int64_t x, int64_t y) { return y == -1 ? negate(x) : x / y; }
int64_t remainder(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }
uint64_t unsignedQuotient(uint64_t x, uint64_t y) { return x / y; }
uint64_t unsignedRemainder(uint64_t x, uint64_t y) { return x % y; }
int64_t conjunction(int64_t x, int64_t y) { return x & y; }
int64_t disjunction(int64_t x, int64_t y) { return x | y; }

const Unary unaryRows[] = {
    {graph::NegOp::getOperationName(), negate, negate},
    {graph::AbsOp::getOperationName(), magnitude, magnitude, same},
    {graph::SignOp::getOperationName(), sign, sign, isNotZero},
    {graph::SquareOp::getOperationName(), square, square},
    {graph::ExpOp::getOperationName(), std::exp},
    {graph::LogOp::getOperationName(), std::log},
    {graph::Log1pOp::getOperationName(), std::log1p},
    {graph::SqrtOp::getOperationName(), std::sqrt},
    {graph::RsqrtOp::getOperationName(), reciprocalSquareRoot},
    {graph::ReciprocalOp::getOperationName(), reciprocal},
    {graph::SinOp::getOperationName(), std::sin},
    {graph::CosOp::getOperationName(), std::cos},
    {graph::TanhOp::getOperationName(), std::tanh},
    {graph::ErfOp::getOperationName(), std::erf},
    {graph::FloorOp::getOperationName(), std::floor},
    {graph::CeilOp::getOperationName(), std::ceil},
    // The process rounds to nearest, halves to even.
    {graph::RoundOp::getOperationName(), std::nearbyint},
    {graph::NotOp::getOperationName(), nullptr, complement},
    {graph::ReluOp::getOperationName(), relu, relu, same},
    {graph::SigmoidOp::getOperationName(), sigmoid},
    {graph::SiluOp::getOperationName(), silu},
    {graph::SoftplusOp::getOperationName(), softplus},
};

const Binary binaryRows[] = {
    {graph::AddOp::getOperationName(), add, add},
    {graph::SubOp::getOperationName(), subtract, subtract},
    {graph::MulOp::getOperationName(), multiply, multiply},
    {graph::DivOp::getOperationName(), quotient, quotient, /*divides=*/true, unsignedQuotient},
    {graph::ModOp::getOperationName(), std::fmod, remainder, /*divides=*/true, unsignedRemainder},
    {graph::PowOp::getOperationName(), std::pow},
    {graph::MaxOp::getOperationName(), maximum, maximum, /*divides=*/false, maximum},
    {graph::MinOp::getOperationName(), minimum, minimum, /*divides=*/false, minimum},
    {graph::AndOp::getOperationName(), nullptr, conjunction},
    {graph::OrOp::getOperationName(), nullptr, disjunction},
};

template <typename Row> bool takes(const Row &row, const Tensor &x) {
  return x.isFloat() ? row.onFloats != nullptr : row.onIntegers != nullptr;
}

bool dividesByZero(const Binary &row, const Tensor &divisor) {
  return row.divides && !divisor.isFloat() &&
         llvm::any_of(divisor.elements(), [](Element e) { return e.i == 0; });
}

Tensor compute(const Unary &row, const Tensor &x) {
  return mapNumbers(x, row.onFloats, isUnsigned(x.getType()) ? row.onUnsigned : row.onIntegers);
}

Tensor compute(const Binary &row, const Tensor &x, const Tensor &y) {
  if (!row.onUnsigned || !isUnsigned(x.getType()))
    return zipNumbers(x, y, row.onFloats, row.onIntegers);
  return zipIntegers(x, y, [&](int64_t a, int64_t b) {
    return static_cast<int64_t>(row.onUnsigned(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  });
}

template <typename Row> const Row *find(llvm::ArrayRef<Row> rows, llvm::StringRef op) {
  auto row = llvm::find_if(rows, [op](const Row &row) { return row.op == op; });
  return row == rows.end() ? nullptr : row;
}

Element convert(Element value, ElementType from, ElementType to) {
  if (to == ElementType::I1)
    return {.i = isFloat(from) ? value.f != 0.0 : value.i != 0};
  if (isFloat(from) == isFloat(to))
    return value;
  if (isFloat(to))
    return {.f = toDouble(from, value.i)};
  return {.i = truncate(to, value.f)};
}

/// Returns whether `x direction y` holds; with NaN only `ne` is true.
template <typename T> bool holds(graph::Direction direction, T x, T y) {
  switch (direction) {
  case graph::Direction::EQ:
    return x == y;
  case graph::Direction::NE:
    return x != y;
  case graph::Direction::LT:
    return x < y;
  case graph::Direction::LE:
    return x <= y;
  case graph::Direction::GT:
    return x > y;
  case graph::Direction::GE:
    return x >= y;
  }
  llvm_unreachable("every direction is listed");
}

} // namespace

std::optional<Tensor> computeElementwise(llvm::StringRef op, llvm::ArrayRef<Tensor> operands) {
  const Tensor &x = operands[0];
  if (const Unary *row = find<Unary>(unaryRows, op))
    return takes(*row, x) ? std::optional(compute(*row, x)) : std::nullopt;
  const Binary *row = find<Binary>(binaryRows, op);
  if (!row || !takes(*row, x) || dividesByZero(*row, operands[1]))
    return std::nullopt;
  return compute(*row, x, operands[1]);
}

llvm::SmallVector<llvm::StringRef> elementwiseOps() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Unary &row : unaryRows)
    names.push_back(row.op);
  for (const Binary &row : binaryRows)
    names.push_back(row.op);
  return names;
}

Tensor computeCompare(graph::Direction direction, const Tensor &x, const Tensor &y) {
  return generate(ElementType::I1, x.getShape(), [&](int64_t n) {
    if (x.isFloat())
      return Element{.i = holds(direction, x[n].f, y[n].f)};
    if (isUnsigned(x.getType()))
      return Element{
          .i = holds(direction, static_cast<uint64_t>(x[n].i), static_cast<uint64_t>(y[n].i))};
    return Element{.i = holds(direction, x[n].i, y[n].i)};
  });
}

Tensor computeSelect(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse) {
  return generate(onTrue.getType(), onTrue.getShape(),
                  [&](int64_t n) { return predicate[n].i ? onTrue[n] : onFalse[n]; });
}

Tensor computeCast(const Tensor &x, ElementType to) {
  return generate(to, x.getShape(), [&](int64_t n) { return convert(x[n], x.getType(), to); });
}

} // namespace pcc::values
