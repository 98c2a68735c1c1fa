// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and functions of one number. Binary operators broadcast as in numpy since opset 7.

#include "compiler/import/operators/NarrowCasts.h"
#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/TorchOperators.h"
#include "compiler/import/operators/elementwise/ElementwiseHandlers.h"
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

/// Combines any number of operands from the left.
template <typename Op> Tensor combined(Node &node) {
  Tensor result = node.input(0);
  for (const Tensor &next : node.allInputs().drop_front())
    result = node.emit.binary<Op>(result, next);
  return result;
}

template <typename Op> LogicalResult importVariadic(Node &node) {
  return node.setResult(combined<Op>(node));
}

LogicalResult importMean(Node &node) {
  Emitter &emit = node.emit;
  Tensor sum = combined<graph::AddOp>(node);
  if (!sum)
    return failure();
  double count = static_cast<double>(node.inputCount());
  return node.setResult(emit.binary<graph::DivOp>(sum, emit.scalarLike(sum, count)));
}

/// Imports Pow. The exponent may have another type; the result has the type of the base. Powers of
/// integers, which occur in computations of shapes, are computed in doubles.
LogicalResult importPow(Node &node) {
  Emitter &emit = node.emit;
  Tensor base = node.input(0), exponent = node.input(1);
  Type type = base.elementType(), wide = Float64Type::get(emit.context());
  bool isFloat = isa<FloatType>(type);
  if (!isFloat && (!base.known || !exponent.known))
    return emit.error() << "expected a base of floats, got " << type;
  Type between = isFloat ? type : wide;
  Tensor power = emit.binary<graph::PowOp>(emit.cast(base, between), emit.cast(exponent, between));
  return node.setResult(emit.cast(power, type));
}

/// Imports Mod. With `fmod` the result has the sign of the dividend, like graph.mod. Otherwise it
/// has the sign of the divisor: if signs differ, one divisor is added, which cannot overflow.
LogicalResult importMod(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), y = node.input(1);
  bool isFmod = node.integer("fmod", 0) != 0;
  Tensor rest = emit.binary<graph::ModOp>(x, y);
  if (isFmod || !rest)
    return node.setResult(rest);
  Tensor zero = emit.scalarLike(rest, 0.0);
  Tensor isNegative = emit.compare(graph::Direction::LT, rest, zero);
  Tensor isBelow = emit.compare(graph::Direction::LT, y, zero);
  Tensor isOpposite = emit.compare(graph::Direction::NE, isNegative, isBelow);
  Tensor isInexact = emit.compare(graph::Direction::NE, rest, zero);
  Tensor isWrong = emit.binary<graph::AndOp>(isInexact, isOpposite);
  Tensor other = emit.binary<graph::AddOp>(rest, y);
  return node.setResult(emit.select(isWrong, other, rest));
}

template <typename Op> LogicalResult importWithAlpha(Node &node, double defaultAlpha) {
  llvm::APFloat alpha(node.number("alpha", defaultAlpha));
  return node.setResult(node.emit.map<Op>(node.input(0), alpha));
}
LogicalResult importLeakyRelu(Node &node) {
  return importWithAlpha<graph::LeakyReluOp>(node, 0.01);
}
LogicalResult importElu(Node &node) { return importWithAlpha<graph::EluOp>(node, 1.0); }

LogicalResult importGelu(Node &node) {
  std::string form = node.text("approximate", "none");
  if (form != "none" && form != "tanh")
    return node.emit.error() << "expected attribute 'approximate' to be 'none' or 'tanh', got '"
                             << form << "'";
  graph::GeluForm kind = form == "tanh" ? graph::GeluForm::Tanh : graph::GeluForm::Exact;
  return node.setResult(node.emit.map<graph::GeluOp>(node.input(0), kind));
}

/// Returns x * sigmoid(alpha * x).
Tensor swish(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  double alpha = node.number("alpha", 1.0);
  if (alpha == 1.0)
    return emit.unary<graph::SiluOp>(x);
  Tensor scaled = emit.binary<graph::MulOp>(x, emit.scalarLike(x, alpha));
  return emit.binary<graph::MulOp>(x, emit.unary<graph::SigmoidOp>(scaled));
}

LogicalResult importSwish(Node &node) { return node.setResult(swish(node)); }

LogicalResult importSwiGlu(Node &node) {
  Tensor gate = node.input(0), linear = node.input(1);
  if (gate.shape() != linear.shape())
    return node.emit.error() << "expected two inputs of one shape, got " << gate.type << " and "
                             << linear.type;
  return node.setResult(node.emit.binary<graph::MulOp>(swish(node), linear));
}

/// Returns a bound that is one known number which a double represents exactly.
std::optional<double> asNumber(const Tensor &bound) {
  constexpr double maxExact = 0x1p53;
  auto value = bound.known ? bound.known->asNumber() : std::nullopt;
  bool isExact = value && (bound.known->isFloat() || std::fabs(*value) <= maxExact);
  return isExact ? value : std::nullopt;
}

/// Limits x to [low, high]; a null bound is no bound. Ordered constant bounds become one clamp.
/// Integers, which have no infinity, need both.
Tensor clip(Emitter &emit, const Tensor &x, const Tensor &low, const Tensor &high) {
  if (!low && !high)
    return x;
  bool needsBoth = !isa<FloatType>(x.elementType());
  auto fits = [&](const Tensor &bound) {
    return !bound || (bound.elementType() == x.elementType() && bound.rank() <= x.rank());
  };
  auto least = low || needsBoth ? asNumber(low) : -HUGE_VAL;
  auto greatest = high || needsBoth ? asNumber(high) : HUGE_VAL;
  if (!x.known && fits(low) && fits(high) && least && greatest && *least <= *greatest)
    return emit.map<graph::ClampOp>(x, llvm::APFloat(*least), llvm::APFloat(*greatest));
  Tensor result = low ? emit.binary<graph::MaxOp>(x, low) : x;
  return high && result ? emit.binary<graph::MinOp>(result, high) : result;
}

LogicalResult importClipAttributes(Node &node) {
  Tensor x = node.input(0), low, high;
  if (node.hasAttribute("min"))
    low = node.emit.scalarLike(x, node.number("min", 0.0));
  if (node.hasAttribute("max"))
    high = node.emit.scalarLike(x, node.number("max", 0.0));
  return node.setResult(clip(node.emit, x, low, high));
}

LogicalResult importClip(Node &node) {
  return node.setResult(clip(node.emit, node.input(0), node.input(1), node.input(2)));
}

LogicalResult importMax(Node &node) {
  if (isClampToNumbers(node))
    return node.setResult(clip(node.emit, node.input(0), node.input(1), /*high=*/{}));
  return importVariadic<graph::MaxOp>(node);
}

LogicalResult importMin(Node &node) {
  if (isClampToNumbers(node))
    return node.setResult(clip(node.emit, node.input(0), /*low=*/{}, node.input(1)));
  return importVariadic<graph::MinOp>(node);
}

/// Casts the first input; the attributes say how a cast to a narrow float rounds.
LogicalResult castInput(Node &node, Type type) {
  NarrowRounding rounding;
  rounding.saturates = node.integer("saturate", 1) != 0;
  rounding.mode = node.text("round_mode", rounding.mode);
  return node.setResult(castToStored(node.emit, node.input(0), type, rounding));
}

LogicalResult importCast(Node &node) {
  int64_t number = node.integer("to", 0);
  Type type = elementTypeOf(static_cast<int32_t>(number), *node.input(0).type.getContext());
  if (!type)
    return node.emit.error() << "elements of ONNX type number " << number << " are not supported";
  return castInput(node, type);
}

LogicalResult importCastLike(Node &node) { return castInput(node, node.input(1).elementType()); }

LogicalResult importIdentity(Node &node) { return node.setResult(node.input(0)); }

/// Make rows of operators that map to one op.
template <typename Op>
Operator unary(llvm::StringLiteral name, int64_t since, Gradients gradients = FirstInput) {
  return {name, since, 1, 1, gradients, importUnary<Op>};
}
template <typename Op> Operator binary(llvm::StringLiteral name, int64_t since) {
  return {name, since, 2, 2, AllInputs, importBinary<Op>};
}
template <typename Op> Operator variadic(llvm::StringLiteral name, int64_t since) {
  return {name, since, 1, anyNumber, AllInputs, importVariadic<Op>};
}

} // namespace

llvm::ArrayRef<Operator> elementwiseOperators() {
  static const Operator rows[] = {
      unary<graph::AbsOp>("Abs", 6),
      binary<graph::AddOp>("Add", 7),
      readsNarrow({"Cast", 6, 1, 1, FirstInput, importCast}),
      readsNarrow({"CastLike", 15, 2, 2, FirstInput, importCastLike}),
      unary<graph::CeilOp>("Ceil", 6, NoGradient),
      {"Clip", 6, 1, 1, FirstInput, importClipAttributes},
      {"Clip", 11, 1, 3, FirstInput, importClip},
      unary<graph::CosOp>("Cos", 7),
      binary<graph::DivOp>("Div", 7),
      {"Elu", 6, 1, 1, FirstInput, importElu},
      unary<graph::ErfOp>("Erf", 9),
      unary<graph::ExpOp>("Exp", 6),
      unary<graph::FloorOp>("Floor", 6, NoGradient),
      {"Gelu", 20, 1, 1, FirstInput, importGelu},
      movesNarrow({"Identity", 1, 1, 1, FirstInput, importIdentity, NoGradient, FirstInput}),
      {"LeakyRelu", 6, 1, 1, FirstInput, importLeakyRelu},
      unary<graph::LogOp>("Log", 6),
      {"Max", 6, 1, anyNumber, AllInputs, importMax},
      {"Mean", 6, 1, anyNumber, AllInputs, importMean},
      {"Min", 6, 1, anyNumber, AllInputs, importMin},
      {"Mod", 10, 2, 2, AllInputs, importMod},
      binary<graph::MulOp>("Mul", 7),
      unary<graph::NegOp>("Neg", 6),
      {"Pow", 7, 2, 2, AllInputs, importPow},
      unary<graph::ReciprocalOp>("Reciprocal", 6),
      unary<graph::ReluOp>("Relu", 6),
      unary<graph::RoundOp>("Round", 11, NoGradient),
      unary<graph::SigmoidOp>("Sigmoid", 6),
      unary<graph::SignOp>("Sign", 9, NoGradient),
      unary<graph::SinOp>("Sin", 7),
      unary<graph::SoftplusOp>("Softplus", 1),
      unary<graph::SqrtOp>("Sqrt", 6),
      binary<graph::SubOp>("Sub", 7),
      variadic<graph::AddOp>("Sum", 6),
      {"SwiGLU", 28, 2, 2, AllInputs, importSwiGlu},
      {"Swish", 24, 1, 1, FirstInput, importSwish},
      unary<graph::TanhOp>("Tanh", 6),
  };
  return rows;
}

} // namespace pcc::import
