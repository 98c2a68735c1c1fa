// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over begins and ends with the maximum usage of each node. Only a begin that an end
// follows can be a peak. The peak binds if the sum of the maximum usages exceeds the limit.
#include "passes/solve/strategy/symmetry/FoldedProblem.h"

#include <algorithm>

namespace pcc::solve {

static int64_t maxUsageOf(const StrategyNode &node) {
  return *std::max_element(node.usages.begin(), node.usages.end());
}

bool isFoldable(const StrategyProblem &problem) {
  Int128 sum = 0;
  for (const StrategyNode &node : problem.nodes)
    sum += maxUsageOf(node);
  return sum < (Int128(1) << 61);
}

std::vector<int64_t> findBindingTimes(const StrategyProblem &problem) {
  struct Change {
    int64_t time;
    int64_t most; ///< maximum usage of the node; negative where the node ends
  };
  std::vector<Change> changes;
  for (const StrategyNode &node : problem.nodes)
    if (int64_t most = maxUsageOf(node); node.begin < node.end && most > 0) {
      changes.push_back({node.begin, most});
      changes.push_back({node.end, -most});
    }
  // A node that ends at a time is no longer live at that time.
  std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
    return a.time != b.time ? a.time < b.time : a.most < b.most;
  });
  std::vector<int64_t> times;
  Int128 highest = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    highest += changes[i].most;
    bool isTop = changes[i].most > 0 && (i + 1 == changes.size() || changes[i + 1].most < 0);
    if (isTop && highest > problem.usageLimit)
      times.push_back(changes[i].time);
  }
  return times;
}

} // namespace pcc::solve
