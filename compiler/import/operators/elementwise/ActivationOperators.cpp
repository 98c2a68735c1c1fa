// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one number that import as a few graph ops each.

#include "compiler/import/operators/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Returns factor * x, without an op for a factor of 1.
Tensor times(Emitter &emit, const Tensor &x, double factor) {
  return factor == 1.0 ? x : emit.times(x, factor);
}

/// Returns factor * x + term, limited to [0, 1].
Tensor hardSigmoid(Emitter &emit, const Tensor &x, double factor, double term) {
  return emit.map<graph::ClampOp>(emit.plus(times(emit, x, factor), term), llvm::APFloat(0.0),
                                  llvm::APFloat(1.0));
}

LogicalResult importHardSigmoid(Node &node) {
  double alpha = node.number("alpha", 0.2), beta = node.number("beta", 0.5);
  return node.setResult(hardSigmoid(node.emit, node.input(0), alpha, beta));
}

LogicalResult importHardSwish(Node &node) {
  Tensor x = node.input(0);
  return node.setResult(
      node.emit.binary<graph::MulOp>(x, hardSigmoid(node.emit, x, 1.0 / 6.0, 0.5)));
}

Tensor elu(Emitter &emit, const Tensor &x, double alpha) {
  return emit.map<graph::EluOp>(x, llvm::APFloat(alpha));
}

LogicalResult importSelu(Node &node) {
  double alpha = node.number("alpha", 1.67326319217681884765625);
  double gamma = node.number("gamma", 1.05070102214813232421875);
  return node.setResult(times(node.emit, elu(node.emit, node.input(0), alpha), gamma));
}

/// Imports alpha * elu(x / alpha).
LogicalResult importCelu(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  double alpha = node.number("alpha", 1.0);
  Tensor scaled = emit.binary<graph::DivOp>(x, emit.scalarLike(x, alpha));
  return node.setResult(times(emit, elu(emit, scaled, 1.0), alpha));
}

LogicalResult importMish(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  Tensor bend = emit.unary<graph::TanhOp>(emit.unary<graph::SoftplusOp>(x));
  return node.setResult(emit.binary<graph::MulOp>(x, bend));
}

LogicalResult importSoftsign(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  return node.setResult(emit.binary<graph::DivOp>(x, emit.plus(emit.unary<graph::AbsOp>(x), 1.0)));
}

/// Imports PRelu: the slope broadcasts to the input, never the reverse. At zero, where both sides
/// are equal, the gradient is that of the negative side, as in torch.
LogicalResult importPRelu(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), slope = emit.broadcast(node.input(1), x.shape());
  Tensor isBelow = emit.compare(graph::Direction::LE, x, emit.scalarLike(x, 0.0));
  return node.setResult(emit.select(isBelow, emit.binary<graph::MulOp>(x, slope), x));
}

LogicalResult importThresholdedRelu(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  Tensor isAbove =
      emit.compare(graph::Direction::GT, x, emit.scalarLike(x, node.number("alpha", 1.0)));
  return node.setResult(emit.select(isAbove, x, emit.scalarLike(x, 0.0)));
}

/// Imports Shrink: numbers beyond lambd move toward zero by the bias, all other numbers become
/// zero.
LogicalResult importShrink(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0);
  double bias = node.number("bias", 0.0), limit = node.number("lambd", 0.5);
  Tensor isBelow = emit.compare(graph::Direction::LT, x, emit.scalarLike(x, -limit));
  Tensor isAbove = emit.compare(graph::Direction::GT, x, emit.scalarLike(x, limit));
  Tensor above = emit.select(isAbove, emit.plus(x, -bias), emit.scalarLike(x, 0.0));
  return node.setResult(emit.select(isBelow, emit.plus(x, bias), above));
}

LogicalResult importTan(Node &node) {
  Tensor x = node.input(0);
  return node.setResult(node.emit.binary<graph::DivOp>(node.emit.unary<graph::SinOp>(x),
                                                       node.emit.unary<graph::CosOp>(x)));
}

LogicalResult importIsNaN(Node &node) {
  Tensor x = node.input(0);
  return node.setResult(node.emit.compare(graph::Direction::NE, x, x));
}

} // namespace

llvm::ArrayRef<Operator> activationOperators() {
  constexpr auto both = static_cast<Gradients>(FirstInput | SecondInput);
  static const Operator rows[] = {
      {"Celu", 12, 1, 1, FirstInput, importCelu},
      {"HardSigmoid", 6, 1, 1, FirstInput, importHardSigmoid},
      {"HardSwish", 14, 1, 1, FirstInput, importHardSwish},
      {"IsNaN", 9, 1, 1, NoGradient, importIsNaN},
      {"Mish", 18, 1, 1, FirstInput, importMish},
      {"PRelu", 7, 2, 2, both, importPRelu},
      {"Selu", 6, 1, 1, FirstInput, importSelu},
      {"Shrink", 9, 1, 1, FirstInput, importShrink},
      {"Softsign", 1, 1, 1, FirstInput, importSoftsign},
      {"Tan", 7, 1, 1, FirstInput, importTan},
      {"ThresholdedRelu", 10, 1, 1, FirstInput, importThresholdedRelu},
  };
  return rows;
}

} // namespace pcc::import
