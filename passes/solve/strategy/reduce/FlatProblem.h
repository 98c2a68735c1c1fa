// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flat problem: a reduced problem in arrays for the search. Nodes have no gaps and are in the
// order of their first time. Tables exist in both orientations, with rows padded for vector
// arithmetic.
//
// Node i has the options [0, size). An array by option has one value for each option of each node.
// The values of node i begin at its `first` and are padded like the rows of tables.
#pragma once

#include "passes/solve/strategy/reduce/Core.h"
#include "passes/solve/strategy/reduce/Segments.h"

namespace pcc::solve {

/// Rows are padded to a multiple of this with entries of infinite cost.
inline constexpr int kLanes = 8;
inline int padded(int size) { return (size + kLanes - 1) / kLanes * kLanes; }

/// Infinite cost in floats: above every finite sum, and small enough that sums of it stay finite.
inline constexpr float kHugeCost = 1e30F;

/// An edge as seen from one of its ends.
struct Neighbor {
  int node = 0;
  int edge = 0;
  size_t out = 0; ///< table whose rows are this node's options
  size_t in = 0;  ///< table whose rows are the neighbor's options
};

/// Usage of a node's options in the segments first ≤ s < last.
struct SegmentUse {
  int first = 0, last = 0;
  std::vector<int64_t> use;
};

struct FlatNode {
  int size = 0;
  int padded = 0;
  size_t first = 0;                ///< offset of its values in arrays by option
  std::vector<Neighbor> neighbors; ///< earlier nodes first
  int earlier = 0;                 ///< number of earlier neighbors
  std::vector<SegmentUse> uses;
  int coreNode = 0;
};

struct FlatEdge {
  int u = 0, v = 0; ///< u < v
  int coreEdge = 0;
  size_t uv = 0;       ///< offset of the table with rows by option of u
  size_t vu = 0;       ///< offset of the transposed table
  size_t message = 0;  ///< offset of its message to v, in arrays by edge and option of v
  size_t backward = 0; ///< offset of its message to u
};

struct FlatProblem {
  std::vector<FlatNode> nodes;
  std::vector<FlatEdge> edges;
  std::vector<float> tables;       ///< for messages
  std::vector<double> exactTables; ///< same entries; exact below 2^53
  std::vector<double> costs;       ///< by option
  std::vector<int64_t> capacities; ///< by segment
  size_t options = 0;              ///< length of arrays by option
  size_t messages = 0;             ///< length of arrays by edge and option
  size_t tableEntries = 0;         ///< sum over all edges, counted once

  FlatProblem() = default;

  /// `core` was compacted with `segments`.
  FlatProblem(const Core &core, const std::vector<Segment> &segments);

private:
  void fillTables(const Core &core);
};

} // namespace pcc::solve
