// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one number.

#include "compiler/interpret/Map.h"
#include "compiler/interpret/Registry.h"
#include "compiler/interpret/Scalars.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// An op on floats that one function of a double computes.
template <typename OpT, double (*function)(double)> void addFunction(Registry &registry) {
  registry.add<OpT>([](OpT, llvm::ArrayRef<Tensor> in) { return mapFloats(in[0], function); });
}

template <typename OpT, double (*onFloats)(double), int64_t (*onIntegers)(int64_t)>
void addNumberFunction(Registry &registry) {
  registry.add<OpT>(
      [](OpT, llvm::ArrayRef<Tensor> in) { return mapNumbers(in[0], onFloats, onIntegers); });
}

double negate(double x) { return -x; }
int64_t negate(int64_t x) { return subtract(int64_t(0), x); }
double magnitude(double x) { return std::fabs(x); }
int64_t magnitude(int64_t x) { return x < 0 ? negate(x) : x; }
double square(double x) { return x * x; }
int64_t square(int64_t x) { return multiply(x, x); }
int64_t sign(int64_t x) { return (x > 0) - (x < 0); }
/// NaN and zeros stay what they are.
double sign(double x) { return std::isnan(x) || x == 0.0 ? x : std::copysign(1.0, x); }

double reciprocal(double x) { return 1.0 / x; }
double reciprocalSquareRoot(double x) { return 1.0 / std::sqrt(x); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

} // namespace

void registerFunctions(Registry &registry) {
  addNumberFunction<graph::NegOp, negate, negate>(registry);
  addNumberFunction<graph::AbsOp, magnitude, magnitude>(registry);
  addNumberFunction<graph::SignOp, sign, sign>(registry);
  addNumberFunction<graph::SquareOp, square, square>(registry);
  addFunction<graph::ExpOp, std::exp>(registry);
  addFunction<graph::LogOp, std::log>(registry);
  addFunction<graph::Log1pOp, std::log1p>(registry);
  addFunction<graph::SqrtOp, std::sqrt>(registry);
  addFunction<graph::RsqrtOp, reciprocalSquareRoot>(registry);
  addFunction<graph::ReciprocalOp, reciprocal>(registry);
  addFunction<graph::SinOp, std::sin>(registry);
  addFunction<graph::CosOp, std::cos>(registry);
  addFunction<graph::TanhOp, std::tanh>(registry);
  addFunction<graph::SigmoidOp, sigmoid>(registry);
  addFunction<graph::ErfOp, std::erf>(registry);
  addFunction<graph::FloorOp, std::floor>(registry);
  addFunction<graph::CeilOp, std::ceil>(registry);
  // The rounding mode of the process is nearest, halves to even.
  addFunction<graph::RoundOp, std::nearbyint>(registry);
}

} // namespace pcc::interpret
