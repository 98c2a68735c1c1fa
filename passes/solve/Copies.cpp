// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/Copies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pcc::solve {

/// Maximum number of different repetitions.
static constexpr int mostRepetitions = 4;

namespace {

class CopyFinder {
public:
  CopyFinder(const StrategyProblem &problem, const Classes &classes)
      : classes(classes), members(classes.members()), neighbours(problem.nodes.size()),
        isOpen(classes.count, true) {
    for (const StrategyEdge &edge : problem.edges) {
      neighbours[edge.u].push_back(edge.v);
      neighbours[edge.v].push_back(edge.u);
    }
  }

  std::vector<Repetition> run() {
    std::vector<Repetition> result;
    for (int seed = findSeed(); seed >= 0 && result.size() < mostRepetitions; seed = findSeed()) {
      std::vector<int> nearest = spreadFrom(seed);
      Repetition &found = result.emplace_back();
      found.copies = static_cast<int>(members[seed].size());
      found.copyOf.assign(nearest.size(), -1);
      for (int one = 0; one < classes.count; ++one) {
        if (!isOpen[one] || !isSpread(members[one], nearest, found.copies))
          continue;
        isOpen[one] = false;
        for (int node : members[one])
          found.copyOf[node] = nearest[node];
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
      if (isOpen[one] && members[one].size() >= fewestCopies)
        nodesBySize[members[one].size()] += members[one].size();
    size_t copies = 0;
    for (auto [size, nodes] : nodesBySize)
      if (copies == 0 || nodes > nodesBySize[copies])
        copies = size;
    for (int one = 0; copies > 0 && one < classes.count; ++one)
      if (isOpen[one] && members[one].size() == copies)
        return one;
    return -1;
  }

  /// Returns for each node of an open class the number of the nearest node of `seed`; −1 if there
  /// is none.
  std::vector<int> spreadFrom(int seed) const {
    std::vector<int> nearest(neighbours.size(), -1), queue = members[seed];
    for (size_t i = 0; i < queue.size(); ++i)
      nearest[queue[i]] = static_cast<int>(i);
    for (size_t next = 0; next < queue.size(); ++next)
      for (int other : neighbours[queue[next]])
        if (nearest[other] < 0 && isOpen[classes.of[other]]) {
          nearest[other] = nearest[queue[next]];
          queue.push_back(other);
        }
    return nearest;
  }

  /// Whether the nodes of a class belong to most of the instances.
  static bool isSpread(const std::vector<int> &nodes, const std::vector<int> &nearest, int copies) {
    if (nodes.size() < fewestCopies)
      return false;
    std::set<int> met;
    for (int node : nodes)
      met.insert(nearest[node]);
    met.erase(-1);
    return 2 * met.size() > std::min(nodes.size(), size_t(copies));
  }

  const Classes &classes;
  std::vector<std::vector<int>> members;
  std::vector<std::vector<int>> neighbours;
  std::vector<char> isOpen; ///< by class: not yet part of a repetition
};

} // namespace

std::vector<Repetition> findRepetitions(const StrategyProblem &problem, const Classes &classes) {
  return CopyFinder(problem, classes).run();
}

/// Returns the group of each instance.
static std::vector<int> groupsOf(int copies, int groups) {
  std::vector<double> ends; // ends of the groups of one half, as sums of relative sizes
  double sum = 0;
  for (int group = 0; 2 * group < groups; ++group)
    ends.push_back(sum += std::pow(3, group));
  std::vector<int> result;
  for (int copy = 0; copy < copies; ++copy) {
    int fromEnd = std::min(copy, copies - 1 - copy);
    double place = (fromEnd + 0.5) * 2 / copies * sum;
    auto group = static_cast<int>(std::upper_bound(ends.begin(), ends.end(), place) - ends.begin());
    result.push_back(2 * copy < copies ? group : groups - 1 - group);
  }
  return result;
}

Classes splitByCopies(const Classes &classes, const std::vector<Repetition> &repetitions,
                      int groups) {
  std::vector<uint64_t> marks(classes.of.size(), 0);
  for (const Repetition &repetition : repetitions) {
    std::vector<int> groupOf = groupsOf(repetition.copies, groups);
    for (size_t i = 0; i < marks.size(); ++i)
      if (repetition.copyOf[i] >= 0)
        marks[i] = uint64_t(groupOf[repetition.copyOf[i]]);
  }
  return split(classes, marks);
}

} // namespace pcc::solve
