// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Actions of a module's stages as the work items that schedules order (passes/solve/order).
//
//   forward of virtual stage 1           @forward_train.1
//   backward of virtual stage 1          @backward.1, or @backward_input.1, then @backward_weight.1
//   input gradients of virtual stage 1   @backward_input.1
//   weight gradients of virtual stage 1  @backward_weight.1
//   forward and backward overlapped      the actions of the forward, then those of the backward
//
// A stage with one virtual stage has sections without a number. If actions process one of k copies,
// microbatch i of a schedule is copy i mod k of microbatch i / k.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/order/Pipeline.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::schedule {

class StepActions {
public:
  /// Reads the steps of several `stages`. Fails with a diagnostic if a stage has no step, or if
  /// steps have different numbers of microbatches.
  static mlir::FailureOr<StepActions> read(llvm::ArrayRef<mlir::ModuleOp> stages);

  /// Shape of the pipeline; its devices are stages. The placement follows from the stage of the
  /// loss, which comes after the last virtual stage.
  const order::PipelineShape &getShape() const { return shape; }
  /// Whether the gradients of weights have sections of their own.
  bool splitsBackward() const { return isSplit; }
  mlir::ModuleOp getStage(int64_t stage) const { return stages[stage].module; }

  /// Reorders the actions to `order`, with actions without a microbatch last. If work has no action
  /// or an action is no work, fails with a diagnostic and changes nothing.
  mlir::LogicalResult reorder(const order::Order &order);

private:
  struct Stage {
    mlir::ModuleOp module;
    pipe::StepOp step;
    /// Actions of microbatches, by section and number.
    llvm::DenseMap<std::pair<llvm::StringRef, int64_t>, pipe::ActionOp> actions;
    llvm::SmallVector<pipe::ActionOp> others;
  };

  mlir::LogicalResult addStage(mlir::ModuleOp module);
  void findShape();
  bool has(const Stage &stage, llvm::StringRef section, int64_t virtualStage) const;
  int64_t findLossStage() const;
  llvm::SmallVector<std::pair<std::string, int64_t>>
  sectionsOf(const order::PipelineAction &work) const;
  mlir::FailureOr<llvm::SmallVector<pipe::ActionOp>>
  actionsOf(Stage &stage, llvm::ArrayRef<order::PipelineAction> works);

  llvm::SmallVector<Stage> stages;
  order::PipelineShape shape;
  bool isSplit = false;
};

} // namespace pcc::schedule
