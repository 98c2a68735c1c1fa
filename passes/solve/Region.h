// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other move of the search: the nodes of a connected region are chosen anew, its cycles
// included, by a few sweeps of message passing within it and a decoding; the rest stays as it is.
// Where a forest must leave every second node of a dense part at its old option, a region can turn
// the part as a whole.
#pragma once

#include "passes/solve/Random.h"
#include "passes/solve/State.h"

namespace pcc::solve {

class Region {
public:
  explicit Region(const Instance &instance);

  /// Grows a connected region of up to `size` nodes around `root`.
  void grow(int root, int size, Random &random);

  /// Prepares the sweeps: costs with `factor` times the prices (by option), and the tables of edges
  /// to fixed neighbours.
  void anchor(const State &state, const std::vector<double> &prices, double factor);

  /// Sweeps forward and back, and decodes; `changes` are the nodes that differ from `state`.
  void choose(const State &state, int sweeps, std::vector<std::pair<int, int32_t>> &changes);

  const std::vector<int> &nodes() const { return members; }

  /// Table entries looked at since the beginning.
  uint64_t work = 0;

private:
  void sweep(bool forward);
  void addMessages(int node, double *sum) const;
  size_t messageTo(int edge, int node) const;

  const Instance &instance;
  std::vector<int> members; ///< in rising order
  std::vector<char> isMember;
  std::vector<double> anchored; ///< by option
  std::vector<double> messages; ///< as in InstanceEdge
  std::vector<double> sum, left;
  std::vector<int32_t> decided;
};

} // namespace pcc::solve
