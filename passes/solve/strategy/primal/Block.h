// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block move of the local search: optimizes all nodes of a block at once, cycles included, while
// all other nodes keep their options. BlockOrder gives the elimination order.
//
// A block is a connected part of the graph, or the set of nodes in which two solutions differ. In
// the second case the move finds the best combination of the two solutions and of all options
// between.
#pragma once

#include "passes/solve/strategy/primal/BlockOrder.h"
#include "passes/solve/strategy/problem/State.h"

namespace pcc::solve {

class Block {
public:
  explicit Block(const FlatProblem &flat);

  /// Selects a connected block of up to `size` nodes around `root`. Tables have up to `largest`
  /// entries. Nodes whose elimination needs larger tables keep their options.
  void grow(int root, int size, double largest, Random &random);

  /// Selects the given nodes.
  void take(const std::vector<int> &nodes, double largest, Random &random);

  /// Prepares `choose`: computes the costs of the options next to the nodes that stay as they are.
  void anchor(const State &state);

  /// Computes the best options of the block's nodes; usage costs `factor` times `prices` (by
  /// option). Returns only the nodes that change.
  void choose(const State &state, const std::vector<double> &prices, double factor, Random &random,
              std::vector<std::pair<int, int32_t>> &changes);

  /// Table entries read since construction.
  uint64_t work() const { return tableWork + order.work; }

private:
  /// An edge or table that is added into another table: the current entry, and the strides to the
  /// next option of each node.
  struct Input {
    const double *at = nullptr;
    size_t own = 0;              ///< stride of the eliminated node
    size_t last = 0;             ///< stride of the scope's last node: 1 if a row, 0 if constant
    std::vector<size_t> strides; ///< strides of the other nodes in the scope
  };

  void collect(const BlockStep &step);
  void fill(const BlockStep &step);
  void fillRow(const BlockStep &step, double *out, int width);
  void addAlong(const Input &input, size_t offset, int size);
  void addReplies(const BlockStep &step, double *values) const;

  const FlatProblem &flat;
  BlockOrder order;
  std::vector<double> anchored, sums; ///< by option
  std::vector<double> tables;
  std::vector<Input> inputs; ///< only the first `inputCount` are valid
  size_t inputCount = 0;
  std::vector<double> row; ///< sums along the options of the last node
  std::vector<int> digits;
  std::vector<int32_t> chosen; ///< by member
  uint64_t tableWork = 0;
};

} // namespace pcc::solve
