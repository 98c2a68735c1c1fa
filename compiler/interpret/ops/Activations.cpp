// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions with attributes.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Map.h"
#include "compiler/values/Scalars.h"
#include "dialects/graph/Graph.h"
#include <numbers>

using namespace mlir;

namespace pcc::interpret {
namespace {

double geluExact(double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }

/// Hendrycks, Gimpel: Gaussian error linear units, 2016, section 2.
double geluTanh(double x) {
  double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

Tensor leakyRelu(graph::LeakyReluOp op, llvm::ArrayRef<Tensor> in) {
  double alpha = op.getAlpha().convertToDouble();
  return mapFloats(in[0], [alpha](double x) { return x > 0.0 ? x : alpha * x; });
}

Tensor elu(graph::EluOp op, llvm::ArrayRef<Tensor> in) {
  double alpha = op.getAlpha().convertToDouble();
  return mapFloats(in[0], [alpha](double x) { return x > 0.0 ? x : alpha * std::expm1(x); });
}

Tensor gelu(graph::GeluOp op, llvm::ArrayRef<Tensor> in) {
  return mapFloats(in[0], op.getForm() == graph::GeluForm::Exact ? geluExact : geluTanh);
}

Tensor clamp(graph::ClampOp op, llvm::ArrayRef<Tensor> in) {
  double low = op.getLow().convertToDouble(), high = op.getHigh().convertToDouble();
  if (in[0].isFloat())
    return mapFloats(in[0], [=](double x) { return minimum(maximum(x, low), high); });
  // For integers, fractional bounds become the nearest integers inside.
  ElementType type = in[0].getType();
  double lowest = isUnsigned(type) ? std::max(low, 0.0) : low;
  Element least{.i = truncate(type, std::ceil(lowest))};
  Element greatest{.i = truncate(type, std::floor(high))};
  return generate(type, in[0].getShape(), [&](int64_t n) {
    Element raised =
        combineElements(type, in[0][n], least, [](auto a, auto b) { return maximum(a, b); });
    return combineElements(type, raised, greatest, [](auto a, auto b) { return minimum(a, b); });
  });
}

} // namespace

void registerActivations(Registry &registry) {
  registry.add<graph::LeakyReluOp>(leakyRelu);
  registry.add<graph::EluOp>(elu);
  registry.add<graph::GeluOp>(gelu);
  registry.add<graph::ClampOp>(clamp);
}

} // namespace pcc::interpret
