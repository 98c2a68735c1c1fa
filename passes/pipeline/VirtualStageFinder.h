// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the virtual stage of each op of a model, from the stages that some ops are given. The
// origin of an op determines how:
//
//   %mask = compare %ids, %c       inputs and constants alone: none; each reader makes it
//   %wt = transpose %w             parameters and constants alone: one op for each virtual stage
//                                  that reads it
//   %0 = matmul %x, %w  stage 1    given: the first virtual stage of stage 1 that is not before
//                                  those of its operands
//   %1 = relu %0                   else the latest virtual stage of its operands
//   %2 = gather %table, %ids       if no operand has one, the first virtual stage that reads it
//
// A given stage is kept on a matmul of parameters, and on an op that floating-point inputs alone
// make. Other ops of the first two kinds ignore a given stage.
#pragma once

#include "passes/pipeline/Origins.h"
#include "passes/solve/order/Pipeline.h"
#include <optional>

namespace pcc::pipeline {

class VirtualStageFinder {
public:
  /// The function has one block and reads parameters and inputs as arguments.
  VirtualStageFinder(mlir::func::FuncOp function, const order::PipelineShape &shape)
      : function(function), shape(shape) {}

  /// Replaces the ops' `pipe.stage` by `pipe.virtual_stage`, and clones ops of parameters alone.
  /// Emits a diagnostic and fails on an error.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult readAnnotations();
  mlir::LogicalResult readAnnotation(mlir::Operation *op);
  mlir::LogicalResult placeAnnotated();
  mlir::FailureOr<int64_t> placeOnStage(mlir::Operation *op, int64_t least,
                                        mlir::Operation *latest);
  void findFirstUsers();
  mlir::LogicalResult placeOthers();
  mlir::LogicalResult checkUnreached(mlir::Operation *op) const;
  /// Returns the first trainable parameter that `op` reads, itself or through ops of parameters
  /// alone.
  llvm::StringRef findTrainable(mlir::Operation *op) const;
  void copyOpsOfParameters();
  void annotate();

  /// Returns the op with the latest known virtual stage among those that `op` reads; null if there
  /// is none.
  mlir::Operation *findLatest(mlir::Operation *op) const;

  mlir::func::FuncOp function;
  order::PipelineShape shape;
  std::optional<Origins> origins;                      ///< known after readAnnotations()
  llvm::DenseMap<mlir::Operation *, int64_t> stages;   ///< given stages
  llvm::DenseMap<mlir::Operation *, int64_t> given;    ///< given virtual stages
  llvm::DenseMap<mlir::Operation *, int64_t> chunks;   ///< of placed ops, as far as known
  llvm::DenseMap<mlir::Operation *, int64_t> firstUse; ///< first virtual stage that reads an op
};

} // namespace pcc::pipeline
