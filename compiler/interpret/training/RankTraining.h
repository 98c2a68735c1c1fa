// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one rank's part of training steps.
#pragma once

#include "compiler/interpret/training/StepPlan.h"

namespace pcc::interpret {

class RankTraining {
public:
  RankTraining(StepPlan &step, Rank &rank, const RunOptions &options)
      : plan(step.stages[rank.getStage()]), blocks(step.blocks), rank(rank), options(options) {}

  /// Takes this rank's parts of the parameters, and runs the section that precedes the first step.
  mlir::LogicalResult begin(const NamedTensors &globals);

  /// Runs all actions of this rank's stage in step number `number` on a global batch.
  mlir::LogicalResult runStep(const NamedTensors &batch, int64_t number);

  /// Returns the value of a result after a step, as the update reads it.
  Tensor read(const Binding &binding) const;

  const NamedTensors &getParameters() const { return parameters; }

private:
  mlir::FailureOr<Tensor> argument(const Action &action, const Binding &binding,
                                   const NamedTensors &batch, int64_t number);
  mlir::FailureOr<Tensor> takeSaved(const Action &action, const Binding &binding);
  mlir::LogicalResult failMissing(const Action &action, const Binding &binding);
  Tensor readSum(const std::string &key, double scale, ElementType type) const;
  void keep(const Binding &binding, const Tensor &value, int64_t number);
  void accumulate(Tensor &sum, const Tensor &term);

  /// A saved value of one action, kept until its last reader has run.
  struct Saved {
    Tensor value;
    int64_t readers; ///< remaining readers
  };

  StagePlan &plan;
  int64_t blocks; ///< of a global batch
  Rank &rank;
  const RunOptions &options;
  NamedTensors parameters;
  std::map<std::pair<std::string, int64_t>, Saved> saved; ///< by key and action number
  NamedTensors sums;                    ///< of accumulated results, in f32, not scaled
  std::map<std::string, double> scales; ///< of the sums
  NamedTensors outputs;                 ///< other results, from the last action that returned them
};

} // namespace pcc::interpret
