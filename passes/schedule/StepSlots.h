// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slots of a module's stages as the work that schedules put in order (passes/solve/order).
//
//   forward of chunk 1                @forward_train.1
//   backward of chunk 1               @backward.1, or @backward_input.1 and then @backward_weight.1
//   input gradients of chunk 1        @backward_input.1
//   weight gradients of chunk 1       @backward_weight.1
//   forward and backward overlapped   the slots of the forward, then those of the backward
//
// A stage with one chunk has sections without a number. Where slots are for one copy of k,
// microbatch i of a schedule is copy i mod k of microbatch i / k.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/order/Pipeline.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::schedule {

class StepSlots {
public:
  /// Of the steps of `stages`, of which there are several. Diagnoses a stage without a step, and
  /// steps of different numbers of microbatches.
  static mlir::FailureOr<StepSlots> read(llvm::ArrayRef<mlir::ModuleOp> stages);

  /// Devices are stages. The placement is known from where the loss is, behind the last chunk.
  const order::PipelineShape &getShape() const { return shape; }
  /// Whether the gradients of weights have sections of their own.
  bool splitsBackward() const { return isSplit; }
  mlir::ModuleOp getStage(int64_t stage) const { return stages[stage].module; }

  /// Puts the slots in this order, those without a microbatch behind them. Diagnoses work that no
  /// slot does, and slots that are no work; nothing has changed then.
  mlir::LogicalResult reorder(const order::Order &order);

private:
  struct Stage {
    mlir::ModuleOp module;
    pipe::StepOp step;
    llvm::DenseMap<std::pair<llvm::StringRef, int64_t>, pipe::SlotOp> slots; ///< of microbatches
    llvm::SmallVector<pipe::SlotOp> others;
  };

  mlir::LogicalResult addStage(mlir::ModuleOp module);
  void findShape();
  bool has(const Stage &stage, llvm::StringRef section, int64_t chunk) const;
  int64_t findLossStage() const;
  llvm::SmallVector<std::pair<std::string, int64_t>> sectionsOf(const order::Work &work) const;
  mlir::FailureOr<llvm::SmallVector<pipe::SlotOp>> slotsOf(Stage &stage,
                                                           llvm::ArrayRef<order::Work> works);

  llvm::SmallVector<Stage> stages;
  order::PipelineShape shape;
  bool isSplit = false;
};

} // namespace pcc::schedule
