// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over all edges, then the minimum potential of each node. Costs and messages are integers
// in doubles, so that minPlus can be used. Checks of the scale keep them below 2^53, where doubles
// are exact.
#include "passes/solve/strategy/bounds/OriginalBound.h"

#include "passes/solve/strategy/bounds/MinPlus.h"
#include <algorithm>
#include <cmath>

namespace pcc::solve {

/// Messages and costs stay below 2^52 units, so their differences stay below 2^53.
static constexpr int largestBits = 52;

static double greatestEntry(const FlatProblem &flat) {
  double greatest = 1;
  for (double entry : flat.exactTables)
    greatest = std::max(greatest, entry < double(kHugeCost) ? entry : 0);
  return greatest;
}

OriginalDual roundDual(const FoldedProblem &original, const std::vector<double> &prices,
                       const std::vector<float> &messages) {
  const FlatProblem &flat = original.flat;
  double longest = greatestEntry(flat), sum = 0;
  double most = std::ldexp(1, largestBits);
  for (const FlatEdge &edge : flat.edges)
    for (int i = 0; i < flat.nodes[edge.v].size; ++i)
      if (double message = std::abs(double(messages[edge.message + i])); message < most)
        longest = std::max(longest, message); // messages of forbidden options are greater
  for (double price : prices)
    sum += price;
  OriginalDual dual;
  dual.costScale = std::clamp(largestBits - 1 - std::ilogb(longest), 0, 20);
  dual.priceScale = std::clamp(sum > 0 ? 60 - std::ilogb(sum) : 0, dual.costScale, 100);
  dual.times = original.times;
  for (double price : prices)
    dual.prices.push_back(int64_t(std::min(std::ldexp(price, dual.priceScale), 0x1p61)));
  for (const FlatEdge &edge : flat.edges)
    for (int i = 0; i < flat.nodes[edge.v].size; ++i) {
      double message = std::ldexp(double(messages[edge.message + i]), dual.costScale);
      dual.messages.push_back(int64_t(std::clamp(std::round(message), -most, most)));
    }
  return dual;
}

std::string check(const StrategyProblem &problem, const OriginalDual &dual) {
  if (!isFoldable(problem))
    return "uses are too large for a proof of the whole problem";
  if (dual.costScale < 0 || dual.costScale > 20 || dual.priceScale < dual.costScale ||
      dual.priceScale > 120)
    return "scales out of range";
  if (dual.prices.size() != dual.times.size())
    return "expected " + std::to_string(dual.times.size()) + " prices, got " +
           std::to_string(dual.prices.size());
  if (!std::is_sorted(dual.times.begin(), dual.times.end()))
    return "expected times that rise";
  Int128 sum = 0;
  for (int64_t price : dual.prices) {
    if (price < 0)
      return "expected prices that are not negative";
    sum += price;
  }
  if (sum >= Int128(1) << 62)
    return "prices out of range";
  for (int64_t message : dual.messages)
    if (std::abs(double(message)) > std::ldexp(1, largestBits))
      return "messages out of range";
  return "";
}

namespace {

/// Computes the sum of the minimum potentials. Potentials are in units of 2^-costScale.
class OriginalPass {
public:
  OriginalPass(const FoldedProblem &original, const OriginalDual &dual)
      : original(original), flat(original.flat), dual(dual), unit(std::ldexp(1, -dual.costScale)),
        potentials(original.flat.options, 0), isForbidden(original.flat.options, false) {}

  Int128 run() {
    Int128 sum = -price();
    const int64_t *messages = dual.messages.data();
    for (const FlatEdge &edge : flat.edges) {
      place(edge, messages);
      messages += flat.nodes[edge.v].size;
    }
    for (const FlatNode &node : flat.nodes)
      sum += minPotential(node);
    // Costs are integers, so the bound is rounded up.
    Int128 one = Int128(1) << dual.costScale;
    return std::max<Int128>(0, ((sum + one - 1) >> dual.costScale) + this->original.constant);
  }

private:
  /// Sets potentials to the costs plus the price of usage; returns the value of the capacities. The
  /// price of usage is rounded down, the value of the capacities is rounded up.
  Int128 price() {
    std::vector<Int128> prefix(flat.capacities.size() + 1, 0);
    int shift = dual.priceScale - dual.costScale;
    Int128 worth = 0;
    for (size_t s = 0; s < flat.capacities.size(); ++s) {
      prefix[s + 1] = prefix[s] + dual.prices[s];
      worth += Int128(dual.prices[s]) * flat.capacities[s];
    }
    for (const FlatNode &node : flat.nodes)
      for (int i = 0; i < node.size; ++i) {
        Int128 paid = 0;
        for (const SegmentUse &range : node.uses)
          paid += Int128(range.use[i]) * (prefix[range.last] - prefix[range.first]);
        double cost = flat.costs[node.first + i];
        isForbidden[node.first + i] = cost >= double(kHugeCost);
        potentials[node.first + i] =
            (paid >> shift) +
            (isForbidden[node.first + i] ? 0 : Int128(std::ldexp(cost, dual.costScale)));
      }
    return (worth + (Int128(1) << shift) - 1) >> shift;
  }

  /// Moves costs from an edge to its ends: `messages` to the later end. The earlier end gets the
  /// maximum that leaves no entry of the table negative.
  void place(const FlatEdge &edge, const int64_t *messages) {
    const FlatNode &u = flat.nodes[edge.u], &v = flat.nodes[edge.v];
    left.resize(v.size);
    reply.resize(u.padded);
    for (int b = 0; b < v.size; ++b) {
      potentials[v.first + b] += messages[b];
      left[b] = -double(messages[b]) * unit;
    }
    minPlus(left.data(), &flat.exactTables[edge.vu], v.size, u.padded, reply.data());
    for (int a = 0; a < u.size; ++a) {
      if (reply[a] >= double(kHugeCost) / 2)
        isForbidden[u.first + a] = true;
      else
        potentials[u.first + a] += Int128(std::ldexp(reply[a], dual.costScale));
    }
  }

  Int128 minPotential(const FlatNode &node) const {
    Int128 least = Int128(1) << 100; // result for a problem without a solution
    for (int i = 0; i < node.size; ++i)
      if (!isForbidden[node.first + i])
        least = std::min(least, potentials[node.first + i]);
    return least;
  }

  const FoldedProblem &original;
  const FlatProblem &flat;
  const OriginalDual &dual;
  double unit;
  std::vector<Int128> potentials; ///< by option
  std::vector<char> isForbidden;
  std::vector<double> left, reply;
};

} // namespace

Int128 boundOf(const FoldedProblem &original, const OriginalDual &dual) {
  if (std::ldexp(greatestEntry(original.flat), dual.costScale) > std::ldexp(1, largestBits))
    return 0;
  return OriginalPass(original, dual).run();
}

Int128 boundOf(const StrategyProblem &problem, const OriginalDual &dual) {
  FoldedProblem original(problem, EdgeTables(problem), singletonClasses(problem), dual.times);
  size_t messages = 0;
  for (const FlatEdge &edge : original.flat.edges)
    messages += original.flat.nodes[edge.v].size;
  return messages == dual.messages.size() ? boundOf(original, dual) : 0;
}

} // namespace pcc::solve
