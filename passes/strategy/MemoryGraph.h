// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward graph of a program as the cost model `memory` sees it: ops, and what they read.
//
//   graph                                          here
//   broadcast of b, add of x and that              add of x and b: what is repeated is read once
//   reshape of x, matmul of that and w             matmul of x, reshaped on the way, and w
//   argument that is a parameter                   an operand that comes from nowhere, perhaps
//   trained argument that is an input                      an operand that comes as it is fed
//   constant, scalar                               an operand that comes from nowhere
//
// Of a training step this is what @forward_backward does before the first derivative; of a program
// that does not train, its function, whose results are to leave it whole.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/MemoryModel.h"

namespace pcc::strategy {

struct MemoryNode {
  mlir::Operation *op;
  MemoryOp priced;
};

/// Where a value comes from.
struct MemorySource {
  int node = -1;             ///< one of the graph, or
  unsigned result = 0;       ///< of the node
  mlir::BlockArgument input; ///< an input; neither: from nowhere
  mlir::Value reshaped;      ///< what is read, if it is a reshape of the source; else null

  bool isNowhere() const { return node < 0 && !input; }
};

/// An operand, or a result that leaves the program.
struct MemoryUse {
  MemorySource from;
  int node = -1;        ///< the reader; -1: outside
  unsigned operand = 0; ///< of the reader
  MemoryTensor tensor;  ///< as the reader wants it
};

class MemoryGraph {
public:
  explicit MemoryGraph(mlir::ModuleOp module);

  mlir::func::FuncOp function;   ///< null if there is none
  std::vector<MemoryNode> nodes; ///< in program order
  std::vector<MemoryUse> uses;   ///< those that do not come from nowhere
};

/// Whether the user's model has this op: it has a rule, and was not derived from another one.
bool isForwardOp(mlir::Operation *op);

} // namespace pcc::strategy
