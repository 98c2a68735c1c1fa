// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Balances a chain by two passes of one dynamic program over (stage, end). The first pass finds the
// shortest possible time of the slowest stage. The second pass minimizes the hand-over times within
// this time.
#include "passes/solve/stages/StageProblem.h"

#include <algorithm>

namespace pcc::stages {

namespace {

/// The best split of the first layers into the stages 0 … s.
struct Best {
  double cost = 0;
  int first = -1; ///< first layer of stage s; −1: impossible
};

/// Minimizes the time of the slowest stage, and then the total hand-over time at this pace. One
/// pass cannot do both: the fastest first stages may hand over more than the later stages' pace
/// requires.
class Balancer {
public:
  explicit Balancer(const StageProblem &problem)
      : problem(problem), layers(int(problem.layers.size())),
        best(problem.stages, std::vector<Best>(layers + 1)) {}

  BalancedStages solve() {
    fill([](double before, double time, double) { return std::max(before, time); });
    if (best.back()[layers].first < 0)
      return {{}, explain()};
    pace = best.back()[layers].cost;
    fill([](double before, double, double handOver) { return before + handOver; });
    BalancedStages solution{StageCuts(problem.stages), ""};
    for (int stage = problem.stages - 1, end = layers; stage >= 0; --stage)
      end = solution.cuts[stage] = best[stage][end].first;
    return solution;
  }

private:
  template <typename Cost> void fill(Cost cost) {
    for (int stage = 0; stage < problem.stages; ++stage)
      for (int end = stage + 1; end <= layers; ++end)
        best[stage][end] = findBest(stage, end, cost);
  }

  /// Extends the last stage towards the front until it no longer fits.
  template <typename Cost> Best findBest(int stage, int end, Cost cost) const {
    Best result;
    double time = problem.handOverBefore(end);
    int64_t bytes = 0;
    for (int first = end - 1; first >= stage; --first) {
      const Layer &layer = problem.layers[first];
      time += layer.time;
      bytes += layer.held + problem.microbatches[stage] * layer.live;
      if ((layer.stage >= 0 && layer.stage != stage) || bytes > problem.limit || time > pace)
        break;
      if (stage == 0 ? first > 0 : best[stage - 1][first].first < 0)
        continue;
      double handOver = problem.handOverBefore(first);
      double total = cost(stage ? best[stage - 1][first].cost : 0, time + handOver, handOver);
      if (time + handOver <= pace && (result.first < 0 || total < result.cost))
        result = {total, first};
    }
    return result;
  }

  /// Returns the reason why nothing fits.
  std::string explain() const {
    if (layers < problem.stages)
      return "expected at least " + std::to_string(problem.stages) +
             " layers, one for each stage, got " + std::to_string(layers);
    for (int i = 1, last = problem.layers[0].stage, at = 0; i < layers; ++i) {
      int stage = problem.layers[i].stage;
      if (stage >= 0 && stage < last)
        return problem.describe(i) + " is constrained to stage " + std::to_string(stage) +
               ", behind " + problem.describe(at) + " in stage " + std::to_string(last);
      if (stage >= 0)
        last = stage, at = i;
    }
    for (int i = 0; i < layers; ++i) {
      int stage = std::max(problem.layers[i].stage, 0);
      int64_t bytes =
          bytesOf(problem, i, i + 1, problem.layers[i].stage < 0 ? problem.stages - 1 : stage);
      if (bytes > problem.limit)
        return problem.describe(i) + " alone takes " + std::to_string(bytes) +
               " bytes, expected at most " + std::to_string(problem.limit);
    }
    return explainMemory();
  }

  /// Returns how far the first stages come if each is as full as possible.
  std::string explainMemory() const {
    for (int stage = problem.stages - 2; stage >= 0; --stage)
      for (int end = layers - 1; end > stage; --end)
        if (best[stage][end].first >= 0)
          return "the layers before " + problem.describe(end) + " fill stages 0 to " +
                 std::to_string(stage) + ", and the rest does not fit" + expectedBytes();
    return "stage 0 does not fit" + expectedBytes();
  }

  std::string expectedBytes() const {
    return ": expected at most " + std::to_string(problem.limit) + " bytes in each";
  }

  const StageProblem &problem;
  int layers;
  double pace = std::numeric_limits<double>::infinity(); ///< no stage may be slower
  std::vector<std::vector<Best>> best;                   ///< by stage and end
};

} // namespace

BalancedStages balance(const StageProblem &problem) { return Balancer(problem).solve(); }

} // namespace pcc::stages
