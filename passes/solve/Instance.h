// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduced problem in the form in which it is searched: nodes without gaps, in the order of their
// first time, tables in both orientations with rows padded for vector arithmetic.
//
// Node i has the options [0, sizes[i]); what belongs to all options of all nodes lies in arrays
// with the node's entries from first[i] on, padded like the rows of tables.
#pragma once

#include "passes/solve/Core.h"
#include "passes/solve/Segments.h"

namespace pcc::solve {

/// Rows are padded to a multiple of this with entries of infinite cost.
inline constexpr int kLanes = 8;
inline int padded(int size) { return (size + kLanes - 1) / kLanes * kLanes; }

/// Above every finite sum, and far enough from the end of a float that sums of them stay finite.
inline constexpr float kFar = 1e30F;

/// An edge as one of its ends sees it.
struct Neighbour {
  int node = 0;
  int edge = 0;
  size_t out = 0; ///< table whose rows are this node's options
  size_t in = 0;  ///< table whose rows are the neighbour's options
};

/// What the options of a node use in the segments first ≤ s < last.
struct SegmentUse {
  int first = 0, last = 0;
  std::vector<int64_t> use;
};

struct InstanceNode {
  int size = 0;
  int padded = 0;
  size_t first = 0;                  ///< of its entries in arrays by option
  std::vector<Neighbour> neighbours; ///< earlier nodes first
  int earlier = 0;                   ///< how many of them are earlier
  std::vector<SegmentUse> uses;
  int coreNode = 0;
};

struct InstanceEdge {
  int u = 0, v = 0; ///< u < v
  int coreEdge = 0;
  size_t uv = 0;       ///< table with rows by option of u
  size_t vu = 0;       ///< the same, turned
  size_t message = 0;  ///< of its message to v, in arrays by edge and option of v
  size_t backward = 0; ///< of its message to u
};

struct Instance {
  std::vector<InstanceNode> nodes;
  std::vector<InstanceEdge> edges;
  std::vector<float> tables;       ///< for messages
  std::vector<double> exactTables; ///< the same entries; exact below 2^53
  std::vector<double> costs;       ///< by option
  std::vector<int64_t> capacities; ///< by segment
  size_t options = 0;              ///< length of arrays by option
  size_t messages = 0;             ///< length of arrays by edge and option
  size_t tableEntries = 0;         ///< of all edges, once

  Instance() = default;

  /// `core` was compacted with these segments.
  Instance(const Core &core, const std::vector<Segment> &segments);

private:
  void fillTables(const Core &core);
};

} // namespace pcc::solve
