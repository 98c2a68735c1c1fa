// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a model during its training. The evaluated loss decides which step is the best one so
// far, and when training ends early.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/execute/Evaluate.h"
#include "runtime/execute/checkpoint/CheckpointSchedule.h"

namespace pcc::runtime {

/// Name of the metric that decides.
inline constexpr const char *evaluatedLoss = "loss";

/// Parses the value of `--eval-every`: "100", "100steps" or "2epochs". BadUsage names the flag.
Expected<CheckpointInterval> parseEvaluationInterval(const std::string &text);

/// Finds the best of the evaluations of a training. A loss that is not a number is never the best.
class BestEvaluation {
public:
  /// `patience`: evaluations without a better loss after which training ends; 0: it never does.
  BestEvaluation(int64_t patience, abi::EvaluationState state)
      : patience(patience), current(std::move(state)) {}

  /// Returns whether the loss after `step` steps is lower than all before.
  bool add(int64_t step, double loss);

  /// Returns whether training ends.
  bool isExhausted() const { return patience > 0 && current.since_best() >= patience; }

  const abi::EvaluationState &state() const { return current; }

private:
  const int64_t patience;
  abi::EvaluationState current;
};

class PeriodicEvaluation {
public:
  /// The metrics of `evaluator` include the evaluated loss. `state`: that of the checkpoint with
  /// which the run begins, or an empty one.
  PeriodicEvaluation(std::shared_ptr<Evaluator> evaluator, const CheckpointInterval &every,
                     int64_t patience, const abi::EvaluationState &state)
      : evaluator(std::move(evaluator)), every(every), best(patience, state) {}

  /// Returns whether the model is evaluated after this step: after each interval, and at the end.
  bool isDue(const StepEnd &end) const;

  /// Returns whether the training has ended early before the run begins.
  bool isExhausted() const { return best.isExhausted(); }

  /// Evaluates the model, and sets `isBest` and `endsEarly`, the same on all ranks. All ranks call
  /// it at the same time.
  Status run(RankExecutor &rank, const StepEnd &end, AfterStep &after);

  // The following functions are for rank 0 after run().

  /// The metrics of the latest evaluation, and the number of steps before it; 0: there was none.
  const std::map<std::string, double> &values() const { return latest; }
  int64_t step() const { return latestStep; }
  const abi::EvaluationState &state() const { return best.state(); }

private:
  const std::shared_ptr<Evaluator> evaluator;
  const CheckpointInterval every;
  BestEvaluation best;
  std::map<std::string, double> latest;
  int64_t latestStep = 0;
};

} // namespace pcc::runtime
