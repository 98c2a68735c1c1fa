// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the dimensions of values that carry the batch.
#pragma once

#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::graph {

/// The dimensions of one function's values that carry the batch as their slowest factor.
///
/// Starts at dimension 0 of the inputs and follows factors through ops until nothing is added. From
/// an operand it goes to the results and the other operands, and from a result back to the
/// operands. So it also finds a broadcast bias or a splat beside a batch. Uses of a splat get a
/// splat of their own first, so that two uses do not meet in it.
class BatchExtent {
public:
  /// Finds the dimensions to divide by `count`. Fails with a diagnostic that names the value or op
  /// that cannot be divided.
  static mlir::FailureOr<BatchExtent> find(mlir::func::FuncOp function, int64_t count);

  /// (value, dimension) pairs in the order in which they were found.
  llvm::ArrayRef<std::pair<mlir::Value, unsigned>> getDims() const { return dims.getArrayRef(); }

private:
  BatchExtent(mlir::func::FuncOp function, int64_t count) : function(function), count(count) {}

  mlir::LogicalResult startAtInputs();
  mlir::LogicalResult follow(mlir::Value value, unsigned dim);
  mlir::LogicalResult followInto(mlir::OpOperand &use, unsigned dim);
  mlir::LogicalResult followOp(mlir::Operation *op, const FactorRule &rule, const DimFactors &dim);
  mlir::LogicalResult checkArgument(mlir::BlockArgument argument, unsigned dim);
  mlir::LogicalResult cannotFollow(mlir::Operation *op, llvm::StringRef why);

  mlir::func::FuncOp function;
  int64_t count;
  llvm::SetVector<std::pair<mlir::Value, unsigned>> dims;
};

} // namespace pcc::graph
