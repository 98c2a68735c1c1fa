// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/Elites.h"

namespace pcc::solve {

static constexpr size_t most = 10;

/// Two solutions are distinct if they differ in more than this fraction of the nodes.
static constexpr double least = 1.0 / 250;

std::vector<int> differences(const std::vector<int32_t> &a, const std::vector<int32_t> &b) {
  std::vector<int> nodes;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      nodes.push_back(static_cast<int>(i));
  return nodes;
}

static double costIfFeasible(const State &state) {
  return state.isFeasible() ? state.cost() : 2.0 * double(kFar);
}

void Elites::offer(const State &state) {
  Elite offered{state.options(), costIfFeasible(state)};
  size_t nearest = std::numeric_limits<size_t>::max();
  Elite *dearer = nullptr;
  for (Elite &elite : list) {
    size_t distance = differences(elite.options, offered.options).size();
    if (double(distance) <= least * double(offered.options.size())) {
      if (offered.cost < elite.cost)
        elite = std::move(offered);
      return;
    }
    if (elite.cost > offered.cost && distance < nearest) {
      nearest = distance;
      dearer = &elite;
    }
  }
  if (list.size() < most)
    list.push_back(std::move(offered));
  else if (dearer)
    *dearer = std::move(offered);
}

void Elites::follow(const Core &core, const Instance &instance) {
  for (Elite &elite : list) {
    State state(instance, core.follow(std::move(elite.options)));
    elite = {state.options(), costIfFeasible(state)};
  }
}

const Elite *Elites::best() const {
  const Elite *found = nullptr;
  for (const Elite &elite : list)
    if (!found || elite.cost < found->cost)
      found = &elite;
  return found;
}

} // namespace pcc::solve
