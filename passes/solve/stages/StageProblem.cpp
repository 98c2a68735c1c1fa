// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost and validity of given cuts, computed directly from the definition. BalanceStages.cpp
// searches for cuts.
#include "passes/solve/stages/StageProblem.h"

#include <algorithm>

namespace pcc::stages {

double StageProblem::handOverBefore(int layer) const {
  return layer > 0 && layer < int(layers.size()) ? layers[layer - 1].handOver : 0;
}

std::string StageProblem::describe(int layer) const {
  const std::string &name = layers[layer].name;
  return name.empty() ? "layer " + std::to_string(layer) : "'" + name + "'";
}

double timeOf(const StageProblem &problem, int first, int end) {
  double time = problem.handOverBefore(first) + problem.handOverBefore(end);
  for (int i = first; i < end; ++i)
    time += problem.layers[i].time;
  return time;
}

int64_t bytesOf(const StageProblem &problem, int first, int end, int stage) {
  int64_t bytes = 0;
  for (int i = first; i < end; ++i)
    bytes += problem.layers[i].held + problem.microbatches[stage] * problem.layers[i].live;
  return bytes;
}

StageVerdict verify(const StageProblem &problem, const StageCuts &cuts) {
  StageVerdict verdict;
  auto refuse = [&](std::string error) {
    verdict.error = std::move(error);
    return verdict;
  };
  if (int(cuts.size()) != problem.stages || cuts.front() != 0)
    return refuse("expected the first layers of " + std::to_string(problem.stages) + " stages");
  for (int stage = 0; stage < problem.stages; ++stage) {
    int end = stage + 1 < problem.stages ? cuts[stage + 1] : int(problem.layers.size());
    std::string name = "stage " + std::to_string(stage);
    if (cuts[stage] >= end)
      return refuse(name + " has no layer");
    int64_t bytes = bytesOf(problem, cuts[stage], end, stage);
    if (bytes > problem.limit)
      return refuse(name + " takes " + std::to_string(bytes) + " bytes, expected at most " +
                    std::to_string(problem.limit));
    verdict.slowest = std::max(verdict.slowest, timeOf(problem, cuts[stage], end));
    verdict.handOvers += problem.handOverBefore(cuts[stage]);
  }
  return verdict;
}

} // namespace pcc::stages
