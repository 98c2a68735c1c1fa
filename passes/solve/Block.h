// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other move of the search: the nodes of a block are chosen anew all at once, its cycles
// included, the best for the rest as it is. BlockOrder says how.
//
// A block may be a connected part of the graph, or the nodes in which two solutions differ: then
// the best of both is found, and of all that is in between.
#pragma once

#include "passes/solve/BlockOrder.h"
#include "passes/solve/State.h"

namespace pcc::solve {

class Block {
public:
  explicit Block(const Instance &instance);

  /// Takes a connected block of up to `size` nodes around `root`. Tables have up to `largest`
  /// entries; nodes for which that is too little keep their options.
  void grow(int root, int size, double largest, Random &random);

  /// Takes these nodes.
  void take(const std::vector<int> &nodes, double largest, Random &random);

  /// Prepares `choose`: what the options cost beside the nodes that stay as they are.
  void anchor(const State &state);

  /// The best choice of the block's nodes with `factor` times the prices (by option) on their use;
  /// only those that change.
  void choose(const State &state, const std::vector<double> &prices, double factor, Random &random,
              std::vector<std::pair<int, int32_t>> &changes);

  /// Table entries looked at since the beginning.
  uint64_t work() const { return tableWork + order.work; }

private:
  /// An edge or table that goes into another table: the entry for the options at hand, and how far
  /// it is to the next option of a node.
  struct Input {
    const double *at = nullptr;
    size_t own = 0;              ///< of the node that goes
    size_t last = 0;             ///< of the last node of the scope; 1: a row, 0: does not depend
    std::vector<size_t> strides; ///< of the others in the scope
  };

  void collect(const BlockStep &step);
  void fill(const BlockStep &step);
  void fillRow(const BlockStep &step, double *out, int width);
  void addAlong(const Input &input, size_t offset, int size);
  void addReplies(const BlockStep &step, double *values) const;

  const Instance &instance;
  BlockOrder order;
  std::vector<double> anchored, sums; ///< by option
  std::vector<double> tables;
  std::vector<Input> inputs; ///< the first `inputCount` count
  size_t inputCount = 0;
  std::vector<double> row; ///< of sums along the last node's options
  std::vector<int> digits;
  std::vector<int32_t> chosen; ///< by member
  uint64_t tableWork = 0;
};

} // namespace pcc::solve
