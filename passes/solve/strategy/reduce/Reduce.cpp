// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/reduce/Reduce.h"

namespace pcc::solve {

std::vector<Segment> reduce(Core &core, const Stop &stop) {
  std::vector<char> dirty(core.nodes.size(), true);
  bool (*const reductions[])(Core &, std::vector<char> &, const Stop &) = {
      removeOptions, mergeAliases, simplifyEdges, removeOptions, reduceUse, eliminateLowDegree,
  };
  for (bool again = true; again && !core.isContradictory();) {
    again = false;
    for (auto *reduction : reductions) {
      again |= reduction(core, dirty, stop);
      if (core.isContradictory() || stop())
        return {};
    }
  }
  return core.isContradictory() ? std::vector<Segment>() : findSegments(core);
}

} // namespace pcc::solve
