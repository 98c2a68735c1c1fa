// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds by sequential tree-reweighted message passing (Kolmogorov, Convergent tree-reweighted
// message passing for energy minimization, 2006).
//
// A sweep visits the nodes in order. A node adds up its costs and the messages of its neighbors. It
// passes an equal share to each neighbor that follows in the sweep:
//
//   D(a)         = cost(a) + Σ message to a
//   share        = 1 / max(neighbors before, neighbors after)
//   message to b = min over a of (share · D(a) − message from b's node to a + table(a, b))
//
// The minimum of each message is subtracted from it and kept as a constant. A node also keeps the
// part of its minimum that it does not pass on. All constants sum to a lower bound of the whole
// problem. No sweep decreases the bound.
#pragma once

#include "passes/solve/strategy/reduce/FlatProblem.h"

namespace pcc::solve {

class MessagePassing {
public:
  explicit MessagePassing(const FlatProblem &flat);

  /// Sets the costs to the costs of the flat problem plus the usages at `prices`, one per segment
  /// and unit of usage. Messages stay.
  void setPrices(const std::vector<double> &prices);

  /// Allows only option `option` of `node`, in this and all later sweeps.
  void fix(int node, int option);

  /// Sweeps from the first node to the last.
  void sweepForward();

  /// Additional results of a backward sweep.
  struct Findings {
    /// If not empty: a bound for each option, over all solutions with it. The previous sweep was a
    /// forward sweep.
    std::vector<double> optionBounds;
    /// If positive, `expectedUse` is set to the expected usage of each segment. The probability of
    /// an option falls by a factor of e for each `temperature` by which it costs more than the best
    /// option.
    double temperature = 0;
    std::vector<double> expectedUse;
  };

  /// Sweeps from the last node to the first. Returns the bound for the costs with prices.
  double sweepBackward(Findings &findings);
  double sweepBackward() {
    Findings none;
    return sweepBackward(none);
  }

  /// Chooses an option for every node, in a forward or a backward pass. Decided neighbors count by
  /// their tables, the others by their messages.
  void decode(bool fromFirst, std::vector<int32_t> &options) const;

  /// Sets `out` to the costs plus the messages of all neighbors, by option.
  void marginal(int node, float *out) const;

  /// Work of a sweep in both directions and a step of the prices, in table entries.
  uint64_t work() const {
    return flat.exactTables.size() + 4 * flat.options + 4 * flat.capacities.size() +
           40 * flat.edges.size() + 500;
  }

  std::vector<float> costs;    ///< by option, with prices
  std::vector<float> messages; ///< by edge and option of its end; layout of FlatEdge

private:
  const FlatProblem &flat;
  std::vector<std::pair<int, int>> fixed;
  std::vector<float> sum, left;         // of the current node
  std::vector<double> forwardConstants; // by node: constants taken in the forward sweep
};

/// Returns the price of the usage of `option`. `sums[s]` is the sum of the first s segments'
/// prices.
double priceOfUsage(const FlatNode &node, int option, const std::vector<double> &sums);

/// Returns the sums of the first 0, 1, … prices.
std::vector<double> prefixSums(const std::vector<double> &prices);

} // namespace pcc::solve
