// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the instances by a breadth-first search from all nodes of one class at once: a node gets
// the number of the start that reaches it first. The class has the size that covers most nodes.
// Classes that fit are removed, and the search repeats for the next repetition.
#include "passes/solve/strategy/symmetry/NodeClasses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pcc::solve {

/// Maximum number of different repetitions.
static constexpr int maxRepetitions = 4;

namespace {

class RepetitionFinder {
public:
  RepetitionFinder(const StrategyProblem &problem, const NodeClasses &classes)
      : classes(classes), members(classes.members()), neighbors(problem.nodes.size()),
        isOpen(classes.count, true) {
    for (const StrategyEdge &edge : problem.edges) {
      neighbors[edge.u].push_back(edge.v);
      neighbors[edge.v].push_back(edge.u);
    }
  }

  std::vector<Repetition> run() {
    std::vector<Repetition> result;
    for (int seed = findSeed(); seed >= 0 && result.size() < maxRepetitions; seed = findSeed()) {
      std::vector<int> nearest = spreadFrom(seed);
      Repetition &found = result.emplace_back();
      found.instances = static_cast<int>(members[seed].size());
      found.instanceOf.assign(nearest.size(), -1);
      for (int one = 0; one < classes.count; ++one) {
        if (!isOpen[one] || !isSpread(members[one], nearest, found.instances))
          continue;
        isOpen[one] = false;
        for (int node : members[one])
          found.instanceOf[node] = nearest[node];
      }
      isOpen[seed] = false;
    }
    return result;
  }

private:
  /// Returns a class whose size is the most frequent one: a class with one node per instance.
  int findSeed() const {
    std::map<size_t, size_t> nodesBySize;
    for (int one = 0; one < classes.count; ++one)
      if (isOpen[one] && members[one].size() >= minInstances)
        nodesBySize[members[one].size()] += members[one].size();
    size_t instances = 0;
    for (auto [size, nodes] : nodesBySize)
      if (instances == 0 || nodes > nodesBySize[instances])
        instances = size;
    for (int one = 0; instances > 0 && one < classes.count; ++one)
      if (isOpen[one] && members[one].size() == instances)
        return one;
    return -1;
  }

  /// Returns for each node of an open class the number of the nearest node of `seed`; −1 if there
  /// is none.
  std::vector<int> spreadFrom(int seed) const {
    std::vector<int> nearest(neighbors.size(), -1), queue = members[seed];
    for (size_t i = 0; i < queue.size(); ++i)
      nearest[queue[i]] = static_cast<int>(i);
    for (size_t next = 0; next < queue.size(); ++next)
      for (int other : neighbors[queue[next]])
        if (nearest[other] < 0 && isOpen[classes.of[other]]) {
          nearest[other] = nearest[queue[next]];
          queue.push_back(other);
        }
    return nearest;
  }

  /// Whether the nodes of a class belong to most of the instances.
  static bool isSpread(const std::vector<int> &nodes, const std::vector<int> &nearest,
                       int instances) {
    if (nodes.size() < minInstances)
      return false;
    std::set<int> met;
    for (int node : nodes)
      met.insert(nearest[node]);
    met.erase(-1);
    return 2 * met.size() > std::min(nodes.size(), size_t(instances));
  }

  const NodeClasses &classes;
  std::vector<std::vector<int>> members;
  std::vector<std::vector<int>> neighbors;
  std::vector<char> isOpen; ///< by class: not yet part of a repetition
};

} // namespace

std::vector<Repetition> findRepetitions(const StrategyProblem &problem,
                                        const NodeClasses &classes) {
  return RepetitionFinder(problem, classes).run();
}

/// Returns the group of each instance.
static std::vector<int> groupsOf(int instances, int groups) {
  std::vector<double> ends; // ends of the groups of one half, as sums of relative sizes
  double sum = 0;
  for (int group = 0; 2 * group < groups; ++group)
    ends.push_back(sum += std::pow(3, group));
  std::vector<int> result;
  for (int instance = 0; instance < instances; ++instance) {
    int fromEnd = std::min(instance, instances - 1 - instance);
    double place = (fromEnd + 0.5) * 2 / instances * sum;
    auto group = static_cast<int>(std::upper_bound(ends.begin(), ends.end(), place) - ends.begin());
    result.push_back(2 * instance < instances ? group : groups - 1 - group);
  }
  return result;
}

NodeClasses splitByInstances(const NodeClasses &classes, const std::vector<Repetition> &repetitions,
                             int groups) {
  std::vector<uint64_t> labels(classes.of.size(), 0);
  for (const Repetition &repetition : repetitions) {
    std::vector<int> groupOf = groupsOf(repetition.instances, groups);
    for (size_t i = 0; i < labels.size(); ++i)
      if (repetition.instanceOf[i] >= 0)
        labels[i] = uint64_t(groupOf[repetition.instanceOf[i]]);
  }
  return split(classes, labels);
}

} // namespace pcc::solve
