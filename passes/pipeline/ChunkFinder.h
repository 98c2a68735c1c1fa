// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chunk of each op of a model, from the stages that some of them are given. Of what an op is
// made says how it gets one:
//
//   %mask = compare %ids, %c       inputs and constants alone: of no chunk; whoever reads it makes
//   it %wt = transpose %w             parameters and constants alone: one for each chunk that reads
//   it %0 = matmul %x, %w  stage 1    given: the least chunk of stage 1 that is not before those of
//                                  what it reads
//   %1 = relu %0                   else the latest chunk of what it reads,
//   %2 = gather %table, %ids       and where nothing that it reads has one, the first of those that
//                                  read it
//
// A stage given to a product of parameters, or to an op that floating-point inputs alone make, is
// kept; other ops of the first two kinds do not heed one.
#pragma once

#include "passes/pipeline/Origins.h"
#include "passes/solve/order/Pipeline.h"
#include <optional>

namespace pcc::pipeline {

class ChunkFinder {
public:
  /// Of a function of one block that reads parameters and inputs as arguments.
  ChunkFinder(mlir::func::FuncOp function, const order::PipelineShape &shape)
      : function(function), shape(shape) {}

  /// Replaces the ops' `pipe.stage` by `pipe.chunk`, and copies what is made of parameters alone.
  /// Diagnoses and fails.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult readMarks();
  mlir::LogicalResult readMark(mlir::Operation *op);
  mlir::LogicalResult placeMarked();
  mlir::FailureOr<int64_t> placeOnStage(mlir::Operation *op, int64_t least,
                                        mlir::Operation *latest);
  void findFirstUsers();
  mlir::LogicalResult placeOthers();
  mlir::LogicalResult checkUnreached(mlir::Operation *op) const;
  /// The first trainable parameter that `op` reads itself or through ops of parameters alone.
  llvm::StringRef findTrainable(mlir::Operation *op) const;
  void copyOpsOfParameters();
  void mark();

  /// The latest of the ops that `op` reads whose chunk is known, null if there is none.
  mlir::Operation *findLatest(mlir::Operation *op) const;

  mlir::func::FuncOp function;
  order::PipelineShape shape;
  std::optional<Origins> origins;                      ///< known once the marks are
  llvm::DenseMap<mlir::Operation *, int64_t> stages;   ///< that are given
  llvm::DenseMap<mlir::Operation *, int64_t> given;    ///< chunks that are given
  llvm::DenseMap<mlir::Operation *, int64_t> chunks;   ///< of placed ops, as far as known
  llvm::DenseMap<mlir::Operation *, int64_t> firstUse; ///< the least chunk that reads an op, if any
};

} // namespace pcc::pipeline
