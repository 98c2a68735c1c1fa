// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's part of training steps.
#pragma once

#include "compiler/interpret/StepPlan.h"

namespace pcc::interpret {

class RankTraining {
public:
  RankTraining(StepPlan &plan, Rank &rank, const RunOptions &options)
      : plan(plan), rank(rank), options(options) {}

  /// Takes this rank's parts of the parameters and runs what comes before the first step.
  mlir::LogicalResult begin(const NamedTensors &globals);

  /// Runs all slots of step number `number` on a global batch.
  mlir::LogicalResult runStep(const NamedTensors &batch, int64_t number);

  /// The value of a result after a step, as the update reads it.
  Tensor read(const Binding &binding) const;

  const NamedTensors &getParameters() const { return parameters; }

private:
  mlir::FailureOr<Tensor> argument(const Slot &slot, const Binding &binding,
                                   const NamedTensors &batch, int64_t number);
  Tensor readSum(const std::string &key, double scale, ElementType type) const;
  void keep(const Binding &binding, const Tensor &value);
  void accumulate(Tensor &sum, const Tensor &term);

  StepPlan &plan;
  Rank &rank;
  const RunOptions &options;
  NamedTensors parameters;
  NamedTensors sums;                    ///< of accumulated results, in f32, not yet scaled
  std::map<std::string, double> scales; ///< of the sums
  NamedTensors outputs;                 ///< other results of the last slot that gave them
};

} // namespace pcc::interpret
