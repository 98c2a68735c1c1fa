// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, operators on booleans, and choice.

#include "compiler/import/Operators.h"

using namespace mlir;

namespace pcc::import {
namespace {

template <graph::Direction direction> LogicalResult importCompare(Node &node) {
  return node.setResult(node.emit.compare(direction, node.input(0), node.input(1)));
}

/// Both operands must be booleans: on numbers graph's ops are bitwise.
template <typename Op> LogicalResult importLogic(Node &node) {
  for (const Tensor &input : node.allInputs())
    if (!input.elementType().isInteger(1))
      return node.emit.error() << "expected booleans, got " << input.elementType();
  if constexpr (std::is_same_v<Op, graph::NotOp>)
    return node.setResult(node.emit.unary<Op>(node.input(0)));
  else
    return node.setResult(node.emit.binary<Op>(node.input(0), node.input(1)));
}

/// Exclusive or is inequality of booleans.
LogicalResult importXor(Node &node) {
  for (const Tensor &input : node.allInputs())
    if (!input.elementType().isInteger(1))
      return node.emit.error() << "expected booleans, got " << input.elementType();
  return importCompare<graph::Direction::NE>(node);
}

LogicalResult importWhere(Node &node) {
  return node.setResult(node.emit.select(node.input(0), node.input(1), node.input(2)));
}

constexpr auto whereGradients = static_cast<Gradients>(SecondInput | ThirdInput);

} // namespace

llvm::ArrayRef<Operator> logicOperators() {
  using graph::Direction;
  static const Operator rows[] = {
      {"And", 7, 2, 2, NoGradient, importLogic<graph::AndOp>},
      {"Equal", 7, 2, 2, NoGradient, importCompare<Direction::EQ>},
      {"Greater", 7, 2, 2, NoGradient, importCompare<Direction::GT>},
      {"GreaterOrEqual", 12, 2, 2, NoGradient, importCompare<Direction::GE>},
      {"Less", 7, 2, 2, NoGradient, importCompare<Direction::LT>},
      {"LessOrEqual", 12, 2, 2, NoGradient, importCompare<Direction::LE>},
      {"Not", 1, 1, 1, NoGradient, importLogic<graph::NotOp>},
      {"Or", 7, 2, 2, NoGradient, importLogic<graph::OrOp>},
      {"Where", 9, 3, 3, whereGradients, importWhere},
      {"Xor", 7, 2, 2, NoGradient, importXor},
  };
  return rows;
}

} // namespace pcc::import
