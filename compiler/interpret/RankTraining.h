// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's part of training steps.
#pragma once

#include "compiler/interpret/StepPlan.h"

namespace pcc::interpret {

class RankTraining {
public:
  RankTraining(StepPlan &step, Rank &rank, const RunOptions &options)
      : plan(step.stages[rank.getStage()]), blocks(step.blocks), rank(rank), options(options) {}

  /// Takes this rank's parts of the parameters and runs what comes before the first step.
  mlir::LogicalResult begin(const NamedTensors &globals);

  /// Runs all slots of this rank's stage in step number `number` on a global batch.
  mlir::LogicalResult runStep(const NamedTensors &batch, int64_t number);

  /// The value of a result after a step, as the update reads it.
  Tensor read(const Binding &binding) const;

  const NamedTensors &getParameters() const { return parameters; }

private:
  mlir::FailureOr<Tensor> argument(const Slot &slot, const Binding &binding,
                                   const NamedTensors &batch, int64_t number);
  mlir::FailureOr<Tensor> takeSaved(const Slot &slot, const Binding &binding);
  mlir::LogicalResult failMissing(const Slot &slot, const Binding &binding);
  Tensor readSum(const std::string &key, double scale, ElementType type) const;
  void keep(const Binding &binding, const Tensor &value, int64_t number);
  void accumulate(Tensor &sum, const Tensor &term);

  /// What one slot leaves for others of its number, until the last of them has run.
  struct Saved {
    Tensor value;
    int64_t readers; ///< that are still to come
  };

  StagePlan &plan;
  int64_t blocks; ///< of a global batch
  Rank &rank;
  const RunOptions &options;
  NamedTensors parameters;
  std::map<std::pair<std::string, int64_t>, Saved> saved; ///< by key and number of the slot
  NamedTensors sums;                    ///< of accumulated results, in f32, not yet scaled
  std::map<std::string, double> scales; ///< of the sums
  NamedTensors outputs;                 ///< other results of the last slot that gave them
};

} // namespace pcc::interpret
