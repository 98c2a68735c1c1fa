// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and functions of one number. Operators of two broadcast numpy's way since opset 7.

#include "compiler/import/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

template <typename Op> LogicalResult importUnary(Node &node) {
  return node.setResult(node.emit.unary<Op>(node.input(0)));
}

template <typename Op> LogicalResult importBinary(Node &node) {
  return node.setResult(node.emit.binary<Op>(node.input(0), node.input(1)));
}

/// Any number of operands, combined from the left.
template <typename Op> LogicalResult importVariadic(Node &node) {
  Tensor result = node.input(0);
  for (const Tensor &next : node.allInputs().drop_front())
    result = node.emit.binary<Op>(result, next);
  return node.setResult(result);
}

LogicalResult importMean(Node &node) {
  Emitter &emit = node.emit;
  Tensor sum = node.input(0);
  for (const Tensor &next : node.allInputs().drop_front())
    sum = emit.binary<graph::AddOp>(sum, next);
  if (!sum)
    return failure();
  double count = static_cast<double>(node.inputCount());
  return node.setResult(emit.binary<graph::DivOp>(sum, emit.scalarLike(sum, count)));
}

/// The exponent may have a type of its own; the result has that of the base.
LogicalResult importPow(Node &node) {
  Tensor base = node.input(0);
  Tensor exponent = node.emit.cast(node.input(1), base.elementType());
  return node.setResult(node.emit.binary<graph::PowOp>(base, exponent));
}

/// `fmod` chooses the sign of the dividend, as graph.mod; else the result has that of the divisor.
LogicalResult importMod(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), y = node.input(1);
  bool isFmod = node.integer("fmod", 0) != 0;
  Tensor rest = emit.binary<graph::ModOp>(x, y);
  if (!isFmod)
    rest = emit.binary<graph::ModOp>(emit.binary<graph::AddOp>(rest, y), y);
  return node.setResult(rest);
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

/// x * sigmoid(alpha * x).
LogicalResult importSwish(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  double alpha = node.number("alpha", 1.0);
  if (alpha == 1.0)
    return node.setResult(emit.unary<graph::SiluOp>(x));
  Tensor scaled = emit.binary<graph::MulOp>(x, emit.scalarLike(x, alpha));
  return node.setResult(emit.binary<graph::MulOp>(x, emit.unary<graph::SigmoidOp>(scaled)));
}

/// x limited to [low, high]; a null bound is no bound.
Tensor clip(Emitter &emit, const Tensor &x, const Tensor &low, const Tensor &high) {
  auto number = [](const Tensor &bound) -> std::optional<double> {
    if (!bound || !bound.known || bound.known->size() != 1)
      return std::nullopt;
    Scalar value = (*bound.known)[0];
    return bound.known->isFloat() ? value.f : static_cast<double>(value.i);
  };
  auto least = number(low), greatest = number(high);
  if (least && greatest && *least <= *greatest)
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

LogicalResult importCast(Node &node) {
  int64_t number = node.integer("to", 0);
  node.integer("saturate", 1); // decides about 8-bit floats only, which are refused
  Type type = elementTypeOf(static_cast<int32_t>(number), *node.input(0).type.getContext());
  if (!type)
    return node.emit.error() << "elements of ONNX type number " << number << " are not supported";
  return node.setResult(node.emit.cast(node.input(0), type));
}

LogicalResult importCastLike(Node &node) {
  node.integer("saturate", 1); // decides about 8-bit floats only, which are refused
  return node.setResult(node.emit.cast(node.input(0), node.input(1).elementType()));
}

LogicalResult importIdentity(Node &node) { return node.setResult(node.input(0)); }

} // namespace

llvm::ArrayRef<Operator> elementwiseOperators() {
  static const Operator rows[] = {
      {"Abs", 6, 1, 1, FirstInput, importUnary<graph::AbsOp>},
      {"Add", 7, 2, 2, AllInputs, importBinary<graph::AddOp>},
      {"Cast", 6, 1, 1, FirstInput, importCast},
      {"CastLike", 15, 2, 2, FirstInput, importCastLike},
      {"Ceil", 6, 1, 1, NoGradient, importUnary<graph::CeilOp>},
      {"Clip", 6, 1, 1, FirstInput, importClipAttributes},
      {"Clip", 11, 1, 3, FirstInput, importClip},
      {"Cos", 7, 1, 1, FirstInput, importUnary<graph::CosOp>},
      {"Div", 7, 2, 2, AllInputs, importBinary<graph::DivOp>},
      {"Elu", 6, 1, 1, FirstInput, importElu},
      {"Erf", 9, 1, 1, FirstInput, importUnary<graph::ErfOp>},
      {"Exp", 6, 1, 1, FirstInput, importUnary<graph::ExpOp>},
      {"Floor", 6, 1, 1, NoGradient, importUnary<graph::FloorOp>},
      {"Gelu", 20, 1, 1, FirstInput, importGelu},
      {"Identity", 1, 1, 1, FirstInput, importIdentity},
      {"LeakyRelu", 6, 1, 1, FirstInput, importLeakyRelu},
      {"Log", 6, 1, 1, FirstInput, importUnary<graph::LogOp>},
      {"Max", 6, 1, anyNumber, AllInputs, importVariadic<graph::MaxOp>},
      {"Mean", 6, 1, anyNumber, AllInputs, importMean},
      {"Min", 6, 1, anyNumber, AllInputs, importVariadic<graph::MinOp>},
      {"Mod", 10, 2, 2, AllInputs, importMod},
      {"Mul", 7, 2, 2, AllInputs, importBinary<graph::MulOp>},
      {"Neg", 6, 1, 1, FirstInput, importUnary<graph::NegOp>},
      {"Pow", 7, 2, 2, AllInputs, importPow},
      {"Reciprocal", 6, 1, 1, FirstInput, importUnary<graph::ReciprocalOp>},
      {"Relu", 6, 1, 1, FirstInput, importUnary<graph::ReluOp>},
      {"Round", 11, 1, 1, NoGradient, importUnary<graph::RoundOp>},
      {"Sigmoid", 6, 1, 1, FirstInput, importUnary<graph::SigmoidOp>},
      {"Sign", 9, 1, 1, NoGradient, importUnary<graph::SignOp>},
      {"Sin", 7, 1, 1, FirstInput, importUnary<graph::SinOp>},
      {"Softplus", 1, 1, 1, FirstInput, importUnary<graph::SoftplusOp>},
      {"Sqrt", 6, 1, 1, FirstInput, importUnary<graph::SqrtOp>},
      {"Sub", 7, 2, 2, AllInputs, importBinary<graph::SubOp>},
      {"Sum", 6, 1, anyNumber, AllInputs, importVariadic<graph::AddOp>},
      {"Swish", 24, 1, 1, FirstInput, importSwish},
      {"Tanh", 6, 1, 1, FirstInput, importUnary<graph::TanhOp>},
  };
  return rows;
}

} // namespace pcc::import
