// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact bounds in 128-bit integers. Prices of usage are rounded down and the value of the
// capacities up, so rounding never makes a bound too high. The backward sweep reads the bounds of a
// node's options, then moves shares of its potential to its earlier neighbors.
#include "passes/solve/strategy/bounds/Certificate.h"

#include <cmath>

namespace pcc::solve {

/// Costs have at most 61 bits, so scaled costs have at most 101 bits and sums stay below 2^127.
static constexpr int largestScale = 40;
static constexpr Int128 impossible = Int128(1) << 104;

DualSolution roundDual(const FlatProblem &flat, const std::vector<double> &prices,
                       const std::vector<float> &messages) {
  double longest = 1, dearest = 0;
  for (const FlatEdge &edge : flat.edges)
    for (int i = 0; i < flat.nodes[edge.v].size; ++i)
      longest = std::max(longest, std::abs(double(messages[edge.message + i])));
  for (double price : prices)
    dearest = std::max(dearest, price);
  DualSolution dual;
  dual.costScale = std::clamp(61 - std::ilogb(longest), 0, 20);
  dual.priceScale = std::clamp(dearest > 0 ? 55 - std::ilogb(dearest) : 0, dual.costScale, 100);
  for (double price : prices)
    dual.prices.push_back(int64_t(std::min(std::ldexp(price, dual.priceScale), 0x1p61)));
  for (const FlatEdge &edge : flat.edges)
    for (int i = 0; i < flat.nodes[edge.v].size; ++i)
      dual.messages.push_back(int64_t(
          std::clamp(std::round(std::ldexp(double(messages[edge.message + i]), dual.costScale)),
                     -0x1p62, 0x1p62)));
  return dual;
}

std::string check(const FlatProblem &flat, const DualSolution &dual) {
  if (dual.costScale < 0 || dual.costScale > largestScale || dual.priceScale < dual.costScale ||
      dual.priceScale > 120)
    return "scales out of range";
  if (dual.prices.size() != flat.capacities.size())
    return "expected " + std::to_string(flat.capacities.size()) + " prices, got " +
           std::to_string(dual.prices.size());
  size_t count = 0;
  for (const FlatEdge &edge : flat.edges)
    count += flat.nodes[edge.v].size;
  if (dual.messages.size() != count)
    return "expected " + std::to_string(count) + " messages, got " +
           std::to_string(dual.messages.size());
  long double sum = 0;
  for (int64_t price : dual.prices) {
    if (price < 0)
      return "expected prices of at least 0";
    sum += price;
  }
  long double most = 0;
  for (const FlatNode &node : flat.nodes)
    for (const SegmentUse &range : node.uses)
      most += *std::max_element(range.use.begin(), range.use.end());
  for (int64_t capacity : flat.capacities)
    most = std::max<long double>(most, capacity);
  if (sum * most > 0x1p120L)
    return "prices out of range";
  return "";
}

namespace {

/// The sweep described in the header, node by node.
class ExactSweep {
public:
  ExactSweep(const Core &core, const FlatProblem &flat, const DualSolution &dual)
      : core(core), flat(flat), dual(dual), potential(flat.options, impossible),
        toLater(flat.messages, 0), toEarlier(flat.messages, 0) {}

  ExactBounds run() {
    price();
    placeMessages();
    ExactBounds result;
    result.options.assign(flat.options, 0);
    for (size_t i = flat.nodes.size(); i-- > 0;) {
      const FlatNode &node = flat.nodes[i];
      Int128 others = sum - low[i];
      for (int a = 0; a < node.size; ++a)
        result.options[node.first + a] = finish(others + potential[node.first + a]);
      for (int n = 0; n < node.earlier; ++n)
        passBack(static_cast<int>(i), node.neighbors[n].edge);
    }
    result.bound = finish(sum);
    return result;
  }

private:
  Int128 scaled(Cost cost) const { return Int128(cost) << dual.costScale; }

  /// Rounds up, because costs are integers.
  Int128 finish(Int128 value) const {
    Int128 unit = Int128(1) << dual.costScale;
    return ((value + unit - 1) >> dual.costScale) + core.constant;
  }

  /// Sets the potentials to the costs plus the price of usage. The price of usage is rounded down,
  /// the value of the capacities is rounded up.
  void price() {
    std::vector<Int128> prefix(dual.prices.size() + 1, 0);
    Int128 worth = 0;
    for (size_t s = 0; s < dual.prices.size(); ++s) {
      prefix[s + 1] = prefix[s] + dual.prices[s];
      worth += Int128(dual.prices[s]) * flat.capacities[s];
    }
    int shift = dual.priceScale - dual.costScale;
    sum = -((worth + (Int128(1) << shift) - 1) >> shift);
    for (const FlatNode &node : flat.nodes)
      for (int a = 0; a < node.size; ++a) {
        Int128 paid = 0;
        for (const SegmentUse &range : node.uses)
          paid += Int128(range.use[a]) * (prefix[range.last] - prefix[range.first]);
        potential[node.first + a] = scaled(core.nodes[node.coreNode].costs[a]) + (paid >> shift);
      }
  }

  Int128 &laterMessage(int e, int option) { return toLater[flat.edges[e].message + option]; }
  Int128 &earlierMessage(int e, int option) { return toEarlier[flat.edges[e].backward + option]; }

  /// Returns the minimum of table − message over the later end's options, for option a of the
  /// earlier end.
  Int128 greatestToEarlier(int e, int a) {
    const FlatEdge &edge = flat.edges[e];
    const CoreEdge &given = core.edges[edge.coreEdge];
    int u = flat.nodes[edge.u].coreNode;
    Int128 least = impossible;
    for (int b = 0; b < flat.nodes[edge.v].size; ++b) {
      Cost cost = core.at(given, u, a, b);
      if (cost < kInfinite)
        least = std::min(least, scaled(cost) - laterMessage(e, b));
    }
    return least;
  }

  void placeMessages() {
    size_t next = 0;
    for (size_t e = 0; e < flat.edges.size(); ++e) {
      const FlatEdge &edge = flat.edges[e];
      const FlatNode &u = flat.nodes[edge.u], &v = flat.nodes[edge.v];
      for (int b = 0; b < v.size; ++b) {
        Int128 message = dual.messages[next++];
        laterMessage(static_cast<int>(e), b) = message;
        potential[v.first + b] += message;
      }
      for (int a = 0; a < u.size; ++a) {
        Int128 message = greatestToEarlier(static_cast<int>(e), a);
        earlierMessage(static_cast<int>(e), a) = message;
        potential[u.first + a] += message;
      }
    }
    for (const FlatNode &node : flat.nodes)
      low.push_back(minPotential(node)), sum += low.back();
  }

  Int128 minPotential(const FlatNode &node) const {
    return *std::min_element(potential.begin() + node.first,
                             potential.begin() + node.first + node.size);
  }

  /// Moves the node's share of its potential over an edge to the earlier end.
  void passBack(int index, int e) {
    const FlatEdge &edge = flat.edges[e];
    const FlatNode &node = flat.nodes[index], &to = flat.nodes[edge.u];
    int later = static_cast<int>(node.neighbors.size()) - node.earlier;
    if (shares.empty() || sharesOf != index) {
      sharesOf = index;
      shares.assign(node.size, 0);
      for (int b = 0; b < node.size; ++b)
        shares[b] = (potential[node.first + b] - low[index]) / std::max(node.earlier, later);
    }
    for (int b = 0; b < node.size; ++b) {
      potential[node.first + b] -= shares[b];
      laterMessage(e, b) -= shares[b];
    }
    // The minimum potential of the node does not change, because its share is 0.
    for (int a = 0; a < to.size; ++a) {
      Int128 message = greatestToEarlier(e, a);
      potential[to.first + a] += message - earlierMessage(e, a);
      earlierMessage(e, a) = message;
    }
    sum -= low[edge.u];
    low[edge.u] = minPotential(to);
    sum += low[edge.u];
  }

  const Core &core;
  const FlatProblem &flat;
  const DualSolution &dual;
  std::vector<Int128> potential; ///< by option
  std::vector<Int128> toLater, toEarlier;
  std::vector<Int128> low; ///< by node: minimum potential
  std::vector<Int128> shares;
  int sharesOf = -1;
  Int128 sum = 0; ///< sum of the minimum potentials, less the value of the capacities
};

} // namespace

ExactBounds boundsOf(const Core &core, const FlatProblem &flat, const DualSolution &dual) {
  return ExactSweep(core, flat, dual).run();
}

} // namespace pcc::solve
