// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds by sequential tree-reweighted message passing (Kolmogorov, Convergent tree-reweighted
// message passing for energy minimization, 2006).
//
// A sweep visits the nodes in order. A node adds up its costs and the messages of its neighbours,
// and passes an equal share on to each neighbour that is still to come:
//
//   D(a)   = cost(a) + Σ message to a            share = 1 / max(neighbours before, neighbours
//   after) message to b = min over a of (share · D(a) − message from b's node to a + table(a, b))
//
// What is left behind sums to a lower bound of the whole problem, which no sweep makes worse.
#pragma once

#include "passes/solve/Instance.h"

namespace pcc::solve {

class MessagePassing {
public:
  explicit MessagePassing(const Instance &instance);

  /// Sets the costs to those of the instance plus what the options use at `prices`, one per segment
  /// and unit of use. Messages stay.
  void setPrices(const std::vector<double> &prices);

  /// Only option `option` of `node` remains, in this and all later sweeps.
  void fix(int node, int option);

  /// From the first node to the last.
  void sweepForward();

  /// What a backward sweep finds beside the bound.
  struct Findings {
    /// If not empty: for each option, a bound of all solutions that have it. The sweep before was
    /// one forward.
    std::vector<double> optionBounds;
    /// If `temperature` is positive: what is used in each segment, if each node takes an option
    /// with a probability that falls by e for each `temperature` by which it looks dearer than the
    /// best.
    double temperature = 0;
    std::vector<double> expectedUse;
  };

  /// From the last node to the first; returns the bound for the priced costs.
  double sweepBackward(Findings &findings);
  double sweepBackward() {
    Findings none;
    return sweepBackward(none);
  }

  /// A choice for every node, from the last to the first or from the first to the last: what is
  /// decided counts by its table, what is not by its message.
  void decode(bool fromFirst, std::vector<int32_t> &options) const;

  /// Costs with the messages of all neighbours: how good a solution with each option can look.
  void marginal(int node, float *out) const;

  /// What a sweep in both directions and a step of the prices take, in table entries.
  uint64_t work() const {
    return instance.exactTables.size() + 4 * instance.options + 4 * instance.capacities.size() +
           40 * instance.edges.size() + 500;
  }

  std::vector<float> costs;    ///< by option, priced
  std::vector<float> messages; ///< by edge and option of its end, as in InstanceEdge

private:
  const Instance &instance;
  std::vector<std::pair<int, int>> fixed;
  std::vector<float> sum, left;      // of the node at hand
  std::vector<double> leftByForward; // by node: what the forward sweep took out there
};

/// What each option of `node` uses at prices whose sums over the first s segments are `sums[s]`.
double priceOf(const InstanceNode &node, int option, const std::vector<double> &sums);

/// Sums of the first 0, 1, … prices.
std::vector<double> prefixSums(const std::vector<double> &prices);

} // namespace pcc::solve
