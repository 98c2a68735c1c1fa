// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds uses of the file's tensors: operands and results of a program's ops that are inputs and
// outputs of nodes in the model's file (FileNodes.h).
//
//   node 3: MatMul(x, w_t) -> y      %y = graph.matmul %x, %w   loc(node 3)
//   w_t is a view of w               uses: operand 0 is x, operand 1 is w_t in order [1, 0],
//                                    result 0 is y
//
// An op may stand for several nodes, and a node for several ops. A tensor inside either has no
// such use. An op's operand is a node's input if the file connects them: the operand is the
// parameter or input of this name, or a result of the node that makes it, and its shape fits. A
// dimension may be a part of the tensor's: of the batch, or of a parameter that the compiler has
// split.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/names/FileNodes.h"

namespace pcc::analysis {

struct FileTensorUse {
  int64_t node;
  llvm::StringRef tensor;
  mlir::Operation *op;
  bool isResult;
  unsigned index; ///< of the operand or result
  /// Dimension of the operand or result, by dimension of the tensor.
  llvm::SmallVector<int64_t> order;

  /// Returns the sharding of the tensor for a sharding of the operand or result.
  dist::Sharding toTensor(const dist::Sharding &sharding) const;
  /// Returns the sharding of the operand or result for a sharding of the tensor.
  dist::Sharding toValue(const dist::Sharding &sharding) const;
};

using NodesByOp = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 4>>;

/// Returns the nodes of each forward op of `function`, ascending. The location of a composite may
/// also have the nodes that make its inputs. So a node belongs only to the ops that have the fewest
/// nodes of all that have this one.
NodesByOp findNodesByOp(mlir::func::FuncOp function, size_t numNodes);

/// Returns the function to whose ops the shardings of a file apply: that of the training step if
/// there is one, else that of the model. Null if the module has neither.
mlir::func::FuncOp findPlannedFunction(mlir::ModuleOp module);

/// Returns the uses of the forward ops of `function`, in program order.
std::vector<FileTensorUse> findFileTensorUses(mlir::func::FuncOp function, const FileNodes &file);

} // namespace pcc::analysis
