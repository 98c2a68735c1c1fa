// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Balances a chain in two steps. The first step finds the shortest possible time of the slowest
// stage by bisection. Each trial finds the layers at which every stage may end at a given pace, an
// upper limit of the time of a stage. The second step minimizes the hand-over times within the
// shortest pace, by dynamic programming.
//
// A stage of the layers first ≤ i < end takes C(end) - K(first):
//
//   C(end)   = time of the layers before `end`, plus the hand-over there
//   K(first) = time of the layers before `first`, minus the hand-over there
//
// The larger K, the shorter the stage, so the best first layer has the largest K in a window before
// the end. The memory limit gives the window, which only moves on with the end.
#include "passes/solve/stages/StageProblem.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>

namespace pcc::stages {

namespace {

/// Time in units so small that sums are exact. Rounding could make equal stages differ.
__extension__ using Time = __int128;

/// A first layer of a stage, with the total hand-over time up to it.
struct Candidate {
  Time cost = 0;
  int first = -1; ///< −1: none

  /// Compares by cost. The later of two equal candidates is better.
  bool isBetterThan(const Candidate &other) const {
    return first >= 0 &&
           (other.first < 0 || cost < other.cost || (cost == other.cost && first > other.first));
  }
};

/// Finds the best candidate in a range of layers. In this binary tree, node i has the children 2i
/// and 2i + 1.
class BestInRange {
public:
  explicit BestInRange(int size) : size(size), nodes(size_t(2) * size) {}

  void insert(const Candidate &candidate) {
    for (int node = size + candidate.first; node > 0; node /= 2)
      if (candidate.isBetterThan(nodes[node]))
        nodes[node] = candidate;
  }

  Candidate find(int begin, int end) const {
    Candidate best;
    auto consider = [&](int node) {
      if (nodes[node].isBetterThan(best))
        best = nodes[node];
    };
    for (begin += size, end += size; begin < end; begin /= 2, end /= 2) {
      if (begin % 2)
        consider(begin++);
      if (end % 2)
        consider(--end);
    }
    return best;
  }

private:
  int size;
  std::vector<Candidate> nodes;
};

/// Minimizes the time of the slowest stage, and then the total hand-over time at this pace. One
/// pass cannot do both: the fastest first stages may hand over more than the later stages' pace
/// requires.
class Balancer {
public:
  explicit Balancer(const StageProblem &problem)
      : problem(problem), layers(int(problem.layers.size())), endTimes(layers + 1),
        firstTimes(layers + 1), lows(problem.stages, std::vector<int>(layers + 1)),
        reached(problem.stages + 1, std::vector<char>(layers + 1)),
        firsts(problem.stages, std::vector<int>(layers + 1)) {}

  BalancedStages solve() {
    sumTimes();
    for (int stage = 0; stage < problem.stages; ++stage)
      findWindows(stage);
    std::optional<Time> pace = tryPace(Time(1) << 126);
    if (!pace)
      return {{}, explain(), steps};
    minimizeHandOvers(findPace(*pace));
    return {getCuts(), "", steps};
  }

private:
  /// Converts seconds to units of which the whole chain has less than 2^121.
  void sumTimes() {
    double all = 0;
    for (const Layer &layer : problem.layers)
      all += layer.time + layer.handOver;
    int exponent = 0;
    std::frexp(all, &exponent);
    auto toTime = [&](double seconds) { return Time(std::ldexp(seconds, 120 - exponent)); };
    for (int layer = 0; layer <= layers; ++layer) {
      Time handOver = toTime(problem.handOverBefore(layer));
      handOvers.push_back(handOver);
      endTimes[layer] = total + handOver;
      firstTimes[layer] = total - handOver;
      if (layer < layers)
        total += toTime(problem.layers[layer].time);
    }
  }

  /// Finds, for each end of a stage, the lowest first layer that the memory allows.
  void findWindows(int stage) {
    auto bytesOf = [&](int layer) {
      return problem.layers[layer].held + problem.microbatches[stage] * problem.layers[layer].live;
    };
    int64_t bytes = 0;
    for (int end = 1, low = 0; end <= layers; ++end) {
      bytes += bytesOf(end - 1);
      while (bytes > problem.limit)
        bytes -= bytesOf(low++);
      lows[stage][end] = low;
    }
  }

  /// Returns the time of the slowest stage of some cuts that keep this pace; nothing if there are
  /// none.
  std::optional<Time> tryPace(Time pace) {
    reached[0][0] = true;
    for (int stage = 0; stage < problem.stages; ++stage)
      tryStage(stage, pace);
    if (!reached[problem.stages][layers])
      return std::nullopt;
    Time slowest = 0;
    for (int stage = problem.stages - 1, end = layers; stage >= 0; --stage) {
      int first = firsts[stage][end];
      slowest = std::max(slowest, endTimes[end] - firstTimes[first]);
      end = first;
    }
    return slowest;
  }

  /// Finds the ends of a stage. `window` has the possible first layers of descending K: one that is
  /// not above a later one is never needed.
  void tryStage(int stage, Time pace) {
    std::deque<int> window;
    for (int end = 1; end <= layers; ++end, ++steps) {
      if (reached[stage][end - 1]) {
        while (!window.empty() && firstTimes[window.back()] <= firstTimes[end - 1])
          window.pop_back();
        window.push_back(end - 1);
      }
      while (!window.empty() && window.front() < lows[stage][end])
        window.pop_front();
      reached[stage + 1][end] =
          !window.empty() && endTimes[end] - firstTimes[window.front()] <= pace;
      if (reached[stage + 1][end])
        firsts[stage][end] = window.front();
    }
  }

  /// Bisects between the mean time of a stage and a pace that is possible, up to the precision of
  /// the given times.
  Time findPace(Time possible) {
    Time impossible = total / problem.stages - 1;
    while (possible - impossible > 1 + (possible >> std::numeric_limits<double>::digits)) {
      Time middle = impossible + (possible - impossible) / 2;
      if (std::optional<Time> slowest = tryPace(middle))
        possible = *slowest;
      else
        impossible = middle;
    }
    return possible;
  }

  /// Returns 0 … layers in descending order of `key`.
  std::vector<int> sortBy(const std::vector<Time> &key) const {
    std::vector<int> order(layers + 1);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] > key[b]; });
    return order;
  }

  /// Goes through the ends of each stage from the latest on. The earlier an end, the more layers
  /// may begin the stage.
  void minimizeHandOvers(Time pace) {
    std::vector<int> byEnd = sortBy(endTimes), byFirst = sortBy(firstTimes);
    std::vector<Candidate> before(layers + 1), after;
    before[0].first = 0;
    for (int stage = 0; stage < problem.stages; ++stage, before.swap(after)) {
      after.assign(layers + 1, Candidate());
      BestInRange possible(layers + 1);
      auto next = byFirst.begin();
      for (int end : byEnd) {
        for (; next != byFirst.end() && firstTimes[*next] >= endTimes[end] - pace; ++next, ++steps)
          if (before[*next].first >= 0)
            possible.insert({before[*next].cost + handOvers[*next], *next});
        ++steps;
        after[end] = possible.find(lows[stage][end], end);
        firsts[stage][end] = after[end].first;
      }
    }
  }

  StageCuts getCuts() const {
    StageCuts cuts(problem.stages);
    for (int stage = problem.stages - 1, end = layers; stage >= 0; --stage)
      end = cuts[stage] = firsts[stage][end];
    return cuts;
  }

  /// Returns the reason why nothing fits.
  std::string explain() const {
    if (layers < problem.stages)
      return "expected at least " + std::to_string(problem.stages) +
             " layers, one for each stage, got " + std::to_string(layers);
    for (int i = 0; i < layers; ++i) {
      int64_t bytes = std::numeric_limits<int64_t>::max();
      for (int stage = 0; stage < problem.stages; ++stage)
        bytes = std::min(bytes, bytesOf(problem, i, i + 1, stage));
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
        if (reached[stage + 1][end])
          return "the layers before " + problem.describe(end) + " fill stages 0 to " +
                 std::to_string(stage) + ", and the rest does not fit" + expectedBytes();
    return "stage 0 does not fit" + expectedBytes();
  }

  std::string expectedBytes() const {
    return ": expected at most " + std::to_string(problem.limit) + " bytes in each";
  }

  const StageProblem &problem;
  int layers;
  Time total = 0;                                    ///< of all layers, without hand-over times
  std::vector<Time> handOvers, endTimes, firstTimes; ///< by layer: hand-over before it, C and K
  std::vector<std::vector<int>> lows;                ///< by stage and end: lowest first layer
  std::vector<std::vector<char>> reached;            ///< by stage: ends of the stage before it
  std::vector<std::vector<int>> firsts;              ///< by stage and end: chosen first layer
  int64_t steps = 0;
};

} // namespace

BalancedStages balance(const StageProblem &problem) { return Balancer(problem).solve(); }

} // namespace pcc::stages
