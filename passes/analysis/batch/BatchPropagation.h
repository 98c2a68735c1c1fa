// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The propagation behind BatchDependence: rows in BatchDependence.cpp, sums and quotients of sums
// in BatchSums.cpp.
#pragma once

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/batch/BatchDependence.h"

namespace pcc::analysis {

/// Returns whether `op` adds up the samples along a reduced factor, perhaps to a mean.
bool addsSamples(mlir::Operation *op);

/// Returns whether `op`, which adds samples, does not take their mean.
bool isPlainSum(mlir::Operation *op);

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Follows the samples from dimension 0 of the inputs through the factors of ops until nothing is
/// added. From an operand it goes to the results and the other operands, and from a result back to
/// the operands. So it also finds a broadcast bias or a constant beside the samples.
class BatchPropagation {
public:
  BatchPropagation(mlir::func::FuncOp function, int64_t count) : function(function), count(count) {}

  mlir::LogicalResult run();
  BatchDependence take() { return std::move(found); }

private:
  /// A factor of an op that holds the samples, with the place inside of the factor.
  struct FactorPlace {
    unsigned factor;
    int64_t outer, extent;
  };

  mlir::LogicalResult startAtInputs();
  mlir::LogicalResult visit(mlir::Value value);
  mlir::LogicalResult visitOp(mlir::Operation *op, llvm::ArrayRef<mlir::Value> values,
                              llvm::ArrayRef<TensorFactors> tensors, const FactorRule &rule,
                              unsigned index);
  mlir::LogicalResult visitWhole(mlir::Operation *op, unsigned index);
  mlir::LogicalResult visitGather(graph::GatherOp op);
  mlir::LogicalResult visitOwnBlocks(mlir::Operation *op, int64_t blocks, mlir::Value value);
  void addOffsets(mlir::Value indices, int64_t part);
  bool isOffset(graph::ConstantOp constant) const;
  mlir::LogicalResult visitSum(mlir::Value value);
  mlir::LogicalResult visitQuotient(mlir::Value value);
  mlir::LogicalResult visitFirstDivision();
  mlir::LogicalResult checkQuotient(mlir::Value value);
  mlir::LogicalResult addRows(mlir::Operation *op, mlir::Value value, BatchPlace place);
  mlir::LogicalResult addSum(mlir::Operation *op, mlir::Value value);
  mlir::LogicalResult addQuotient(mlir::Value value);
  mlir::LogicalResult checkLeaf(mlir::Value value);
  mlir::FailureOr<FactorPlace> locate(mlir::Operation *op, const FactorRule &rule,
                                      const DimFactors &factors, const BatchPlace &place);
  mlir::LogicalResult refuse(mlir::Operation *op, llvm::StringRef why);

  mlir::func::FuncOp function;
  int64_t count;
  BatchDependence found;
  llvm::SmallVector<mlir::Value> worklist;
  llvm::SmallVector<mlir::Value> constants; ///< of kind Rows
  /// Terms of indices that may count from the first of all samples, with the number of elements in
  /// a part.
  llvm::DenseMap<graph::ConstantOp, int64_t> offsets;
  llvm::SetVector<mlir::Operation *> divisions; ///< of or by sums, not visited yet
};

} // namespace pcc::analysis
