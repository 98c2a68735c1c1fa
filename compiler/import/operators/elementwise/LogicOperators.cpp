// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, boolean operators, and selection.

#include "compiler/import/operators/Operators.h"
#include "compiler/import/operators/TorchOperators.h"
#include "compiler/import/operators/elementwise/ElementwiseHandlers.h"

using namespace mlir;

namespace pcc::import {
namespace {

template <graph::Direction direction> LogicalResult importCompare(Node &node) {
  return node.setResult(node.emit.compare(direction, node.input(0), node.input(1)));
}

/// Calls `handler` for booleans only; on numbers the graph ops have another meaning.
template <LogicalResult (*handler)(Node &)> LogicalResult onBooleans(Node &node) {
  for (const Tensor &input : node.allInputs())
    if (!input.elementType().isInteger(1))
      return node.emit.error() << "expected booleans, got " << input.elementType();
  return handler(node);
}

LogicalResult importWhere(Node &node) {
  Tensor otherwise = node.input(2);
  if (hidesKeys(node))
    otherwise = node.emit.scalarLike(otherwise, -HUGE_VAL);
  return node.setResult(node.emit.select(node.input(0), node.input(1), otherwise));
}

template <graph::Direction direction> Operator comparison(llvm::StringLiteral name, int64_t since) {
  return {name, since, 2, 2, NoGradient, importCompare<direction>};
}

constexpr auto whereGradients = static_cast<Gradients>(SecondInput | ThirdInput);

} // namespace

llvm::ArrayRef<Operator> logicOperators() {
  using graph::Direction;
  static const Operator rows[] = {
      {"And", 7, 2, 2, NoGradient, onBooleans<importBinary<graph::AndOp>>},
      comparison<Direction::EQ>("Equal", 7),
      comparison<Direction::GT>("Greater", 7),
      comparison<Direction::GE>("GreaterOrEqual", 12),
      comparison<Direction::LT>("Less", 7),
      comparison<Direction::LE>("LessOrEqual", 12),
      {"Not", 1, 1, 1, NoGradient, onBooleans<importUnary<graph::NotOp>>},
      {"Or", 7, 2, 2, NoGradient, onBooleans<importBinary<graph::OrOp>>},
      {"Where", 9, 3, 3, whereGradients, importWhere},
      // Exclusive or is inequality of booleans.
      {"Xor", 7, 2, 2, NoGradient, onBooleans<importCompare<Direction::NE>>},
  };
  return rows;
}

} // namespace pcc::import
