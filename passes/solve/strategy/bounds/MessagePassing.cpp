// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward and backward sweeps of message passing. Messages are floats with minimum 0; the
// subtracted minima are summed in doubles. The backward sweep adds the constants that the forward
// sweep took at earlier nodes. So it gets a bound for each option.
#include "passes/solve/strategy/bounds/MessagePassing.h"

#include "passes/solve/strategy/bounds/MinPlus.h"
#include <cmath>
#include <numeric>

namespace pcc::solve {

std::vector<double> prefixSums(const std::vector<double> &prices) {
  std::vector<double> sums(prices.size() + 1);
  for (size_t s = 0; s < prices.size(); ++s)
    sums[s + 1] = sums[s] + prices[s];
  return sums;
}

double priceOfUsage(const FlatNode &node, int option, const std::vector<double> &sums) {
  double price = 0;
  for (const SegmentUse &use : node.uses)
    price += double(use.use[option]) * (sums[use.last] - sums[use.first]);
  return price;
}

MessagePassing::MessagePassing(const FlatProblem &flat)
    : costs(flat.costs.begin(), flat.costs.end()), messages(flat.messages, 0.0F), flat(flat) {
  int longest = 0;
  for (const FlatNode &node : flat.nodes)
    longest = std::max(longest, node.padded);
  forwardConstants.resize(flat.nodes.size());
  sum.resize(longest);
  left.resize(longest);
}

void MessagePassing::setPrices(const std::vector<double> &prices) {
  std::vector<double> sums = prefixSums(prices);
  for (const FlatNode &node : flat.nodes)
    for (int i = 0; i < node.size; ++i)
      costs[node.first + i] = float(flat.costs[node.first + i] + priceOfUsage(node, i, sums));
  for (auto [node, option] : fixed)
    fix(node, option);
}

void MessagePassing::fix(int node, int option) {
  const FlatNode &chosen = flat.nodes[node];
  for (int i = 0; i < chosen.size; ++i)
    if (i != option)
      costs[chosen.first + i] = kHugeCost;
  if (std::find(fixed.begin(), fixed.end(), std::pair(node, option)) == fixed.end())
    fixed.emplace_back(node, option);
}

/// Returns the offset of the message of `edge` to its end `node`.
static size_t messageTo(const FlatEdge &edge, int node) {
  return node == edge.v ? edge.message : edge.backward;
}

void MessagePassing::marginal(int index, float *out) const {
  const FlatNode &node = flat.nodes[index];
  const float *own = &costs[node.first];
  for (int i = 0; i < node.padded; ++i)
    out[i] = own[i];
  for (const Neighbor &neighbor : node.neighbors) {
    const float *message = &messages[messageTo(flat.edges[neighbor.edge], index)];
    for (int i = 0; i < node.padded; ++i)
      out[i] += message[i];
  }
}

/// Returns the share of a node's sum that each of the following neighbors gets.
static float shareOf(const FlatNode &node) {
  int later = static_cast<int>(node.neighbors.size()) - node.earlier;
  return 1.0F / float(std::max({node.earlier, later, 1}));
}

/// Sends a message from a node to `neighbor`. Returns the constant removed from the message.
static float send(const FlatProblem &flat, const FlatNode &node, int index,
                  const Neighbor &neighbor, const float *sum, float share, float *left,
                  float *messages) {
  const FlatEdge &edge = flat.edges[neighbor.edge];
  const FlatNode &other = flat.nodes[neighbor.node];
  const float *reverse = messages + messageTo(edge, index);
  for (int i = 0; i < node.padded; ++i)
    left[i] = share * sum[i] - reverse[i];
  float *message = messages + messageTo(edge, neighbor.node);
  minPlus(left, &flat.tables[neighbor.out], node.size, other.padded, message);
  float low = minValue(message, other.size);
  for (int i = 0; i < other.padded; ++i)
    message[i] -= low;
  return low;
}

void MessagePassing::sweepForward() {
  for (size_t i = 0; i < flat.nodes.size(); ++i) {
    const FlatNode &node = flat.nodes[i];
    int index = static_cast<int>(i);
    marginal(index, sum.data());
    float share = shareOf(node);
    size_t later = node.neighbors.size() - node.earlier;
    double taken = double(minValue(sum.data(), node.size)) * (1 - double(share) * double(later));
    for (size_t n = node.earlier; n < node.neighbors.size(); ++n)
      taken += send(flat, node, index, node.neighbors[n], sum.data(), share, left.data(),
                    messages.data());
    forwardConstants[i] = taken;
  }
}

/// Adds the expected usage of `node` to `use`, as differences between segments.
static void addExpectedUse(const FlatNode &node, const float *sum, double temperature,
                           std::vector<double> &weights, std::vector<double> &use) {
  if (node.uses.empty())
    return;
  float low = minValue(sum, node.size);
  double total = 0;
  weights.resize(node.size);
  for (int i = 0; i < node.size; ++i)
    total += weights[i] = std::exp(-double(sum[i] - low) / temperature);
  for (const SegmentUse &range : node.uses) {
    double mean = 0;
    for (int i = 0; i < node.size; ++i)
      mean += weights[i] * double(range.use[i]);
    use[range.first] += mean / total;
    use[range.last] -= mean / total;
  }
}

double MessagePassing::sweepBackward(Findings &findings) {
  double bound = 0;
  std::vector<double> weights;
  if (findings.temperature > 0)
    findings.expectedUse.assign(flat.capacities.size() + 1, 0);
  std::vector<double> backTo(flat.nodes.size(), 0);
  double before = std::accumulate(forwardConstants.begin(), forwardConstants.end(), 0.0);
  for (size_t i = flat.nodes.size(); i-- > 0;) {
    const FlatNode &node = flat.nodes[i];
    int index = static_cast<int>(i);
    marginal(index, sum.data());
    // `sum` has the node's costs plus the messages of all neighbors. `bound` has the constants
    // taken at later nodes. `before` has the constants that the forward sweep took at earlier
    // nodes, less those that came back.
    before += backTo[i] - forwardConstants[i];
    if (findings.temperature > 0)
      addExpectedUse(node, sum.data(), findings.temperature, weights, findings.expectedUse);
    if (!findings.optionBounds.empty())
      for (int k = 0; k < node.size; ++k)
        findings.optionBounds[node.first + k] = before + bound + double(sum[k]);
    float low = minValue(sum.data(), node.size);
    bound += low;
    for (int k = 0; k < node.padded; ++k)
      sum[k] -= low;
    for (int n = 0; n < node.earlier; ++n) {
      double taken = send(flat, node, index, node.neighbors[n], sum.data(), shareOf(node),
                          left.data(), messages.data());
      bound += taken;
      before -= taken;
      backTo[node.neighbors[n].node] += taken;
    }
  }
  for (size_t s = 1; s < findings.expectedUse.size(); ++s)
    findings.expectedUse[s] += findings.expectedUse[s - 1];
  return bound;
}

void MessagePassing::decode(bool fromFirst, std::vector<int32_t> &options) const {
  int count = static_cast<int>(flat.nodes.size());
  options.assign(count, 0);
  std::vector<double> values;
  for (int step = 0; step < count; ++step) {
    int index = fromFirst ? step : count - 1 - step;
    const FlatNode &node = flat.nodes[index];
    values.assign(&costs[node.first], &costs[node.first] + node.size);
    for (const Neighbor &neighbor : node.neighbors) {
      bool isDecided = (neighbor.node < index) == fromFirst;
      const float *terms =
          isDecided ? &flat.tables[neighbor.in] + size_t(options[neighbor.node]) * node.padded
                    : &messages[messageTo(flat.edges[neighbor.edge], index)];
      for (int i = 0; i < node.size; ++i)
        values[i] += terms[i];
    }
    options[index] = argMin(values.data(), node.size);
  }
}

} // namespace pcc::solve
