// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the metrics of a program over a dataset. Rows of the incomplete last batch count, those
// that fill it up do not. So the metrics do not depend on the number of ranks, nor on the batch. A
// run evaluates once, or between the steps of its training.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/data/batches/BatchLoader.h"
#include "runtime/execute/Session.h"
#include "runtime/execute/checkpoint/CheckpointSchedule.h"
#include "runtime/execute/monitor/Metrics.h"

namespace pcc::runtime {

/// An evaluation that may run several times, also during a training. All ranks share it.
class Evaluator {
public:
  /// `session` must outlive the evaluator. Errors: data that do not fit the inputs, no
  /// rows, labels that are no classes; a program without a section `forward`.
  static Expected<std::shared_ptr<Evaluator>> make(Session &session, const Dataset &data,
                                                   std::vector<abi::Metric> metrics);

  /// Runs `forward` on all rows. Every rank calls it at the same time, while no rank executes a
  /// step.
  Status runRank(RankExecutor &rank);

  /// Returns the metrics of the latest run by name. The first process has them after all of its
  /// ranks have returned from runRank(), and rank 0 itself after its own return.
  Expected<std::map<std::string, double>> values() const;

private:
  Evaluator(const Session &session, const Dataset &data, std::vector<BoundField> bound,
            std::vector<abi::Metric> metrics);
  Expected<std::unique_ptr<BatchLoader>> startLoader(RankExecutor &rank) const;
  Status readOutputs(RankExecutor &rank);
  Status gatherOutputs(RankExecutor &rank);
  Status count(RankExecutor &rank, int64_t firstRow, const ParallelFor &parallelFor);

  /// The union of all programs.
  const abi::Program &program;
  const abi::Executable &executable;
  const Placement placement;
  const Dataset data;
  const std::vector<BoundField> bound;
  const int64_t batchRows;
  const std::vector<abi::Metric> metrics;
  /// By output of the program, then by rank: the rank's block of the output.
  std::map<uint32_t, std::vector<Tensor>> blocks;
  /// By metric. Only rank 0 uses them.
  std::vector<MetricTotal> totals;
};

/// Evaluates the metrics named by `metrics` (chooseMetrics) over all rows, on all ranks at once.
/// The first process has them; for the others the result is empty. Errors: those of chooseMetrics()
/// and of Evaluator::make().
Expected<std::map<std::string, double>> evaluate(Session &session, const Dataset &data,
                                                 const std::string &metrics = "");

//===-- PeriodicEvaluation.cpp ----------------------------------------------------------------===//

// Evaluates a model during its training. The evaluated loss decides which step is the best one so
// far, and when training ends early.

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
