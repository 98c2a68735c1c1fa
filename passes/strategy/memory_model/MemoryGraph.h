// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward graph of a program for the cost model `memory`: ops and the values they read.
//
//   program                                    MemoryGraph
//   add of x and r = broadcast of b            add of x and b: b is read once
//   matmul of r = reshape of x, and w          matmul of x, reshaped on the way, and w
//   argument that is a parameter               an operand without a source, possibly trained
//   argument that is an input                  an operand with the layout in which it is fed
//   constant, scalar                           an operand without a source
//
// The forward graph of a training step is the part of @forward_backward before the first
// derivative. The graph of a program that does not train is its function; its results must be
// unsplit when they leave it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/memory_model/MemoryModel.h"

namespace pcc::strategy {

struct MemoryNode {
  mlir::Operation *op;
  MemoryOp modelOp;
};

/// Source of a value.
struct MemorySource {
  int node = -1;             ///< producer in the graph, or -1
  unsigned result = 0;       ///< result number of the node
  mlir::BlockArgument input; ///< an input if not null; without node and input there is no source
  mlir::Value reshaped;      ///< the value read, if it is a reshape of the source; else null

  bool isNowhere() const { return node < 0 && !input; }
};

/// Use of a value by an operand or by a result that leaves the program.
struct MemoryUse {
  MemorySource from;
  int node = -1;        ///< the reader; -1: outside
  unsigned operand = 0; ///< operand number of the reader
  MemoryTensor tensor;  ///< as the reader reads it
};

class MemoryGraph {
public:
  explicit MemoryGraph(mlir::ModuleOp module);

  mlir::func::FuncOp function;   ///< null if there is none
  std::vector<MemoryNode> nodes; ///< in program order
  std::vector<MemoryUse> uses;   ///< uses that have a source
};

/// Whether `op` comes from the user's model: it has a rule and was not derived from another op.
bool isForwardOp(mlir::Operation *op);

} // namespace pcc::strategy
