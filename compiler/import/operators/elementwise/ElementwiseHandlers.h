// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/import/emit/Node.h"

namespace pcc::import {

/// Imports a node as the graph op `Op` of its first input.
template <typename Op> mlir::LogicalResult importUnary(Node &node) {
  return node.setResult(node.emit.unary<Op>(node.input(0)));
}

/// Imports a node as the graph op `Op` of its first two inputs, broadcast.
template <typename Op> mlir::LogicalResult importBinary(Node &node) {
  return node.setResult(node.emit.binary<Op>(node.input(0), node.input(1)));
}

} // namespace pcc::import
