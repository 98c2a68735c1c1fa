// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 has the values and decides. The other ranks learn its decision by a maximum over all
// ranks, to which they contribute zeros.

#include "runtime/execute/Evaluate.h"

#include <array>

namespace pcc::runtime {

Expected<CheckpointInterval> parseEvaluationInterval(const std::string &text) {
  return parseInterval("--eval-every", text, /*takesMinutes=*/false);
}

bool BestEvaluation::add(int64_t step, double loss) {
  bool isBest = current.best_step() == 0 ? loss == loss : loss < current.best_loss();
  if (isBest) {
    current.set_best_loss(loss);
    current.set_best_step(step);
  }
  current.set_since_best(isBest ? 0 : current.since_best() + 1);
  return isBest;
}

bool PeriodicEvaluation::isDue(const StepEnd &end) const {
  return end.isLast || (every.steps > 0 && end.steps % every.steps == 0) ||
         (every.epochs > 0 && end.endsEpoch && end.epochs % every.epochs == 0);
}

Status PeriodicEvaluation::run(RankExecutor &rank, const StepEnd &end, AfterStep &after) {
  if (Status status = evaluator->runRank(rank); !status.ok())
    return status;
  std::array<int64_t, 2> decision = {};
  if (rank.rank() == 0) {
    Expected<std::map<std::string, double>> values = evaluator->values();
    if (!values)
      return values.status();
    latest = std::move(*values);
    latestStep = end.steps;
    decision[0] = best.add(end.steps, latest.at(evaluatedLoss));
    decision[1] = best.isExhausted() && !end.isLast;
  }
  if (Status status = rank.maxOfRanks(decision, "to learn what follows an evaluation");
      !status.ok())
    return status;
  after.isBest = decision[0] != 0;
  after.endsEarly = decision[1] != 0;
  return {};
}

} // namespace pcc::runtime
