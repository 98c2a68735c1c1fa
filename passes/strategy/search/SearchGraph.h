// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decisions of a search over the whole training step, and the edges between them.
//
//   node       stands for                             its choice
//   op         an op of a section                     one of its options (listOptions)
//   boundary   a parameter, gradient or input         the sharding in which sections pass it
//   shared     a value that has several uses          the sharding in which its users read it
//
// The states of an optimizer have the role of parameters.
//
// An edge is a use: the value arrives in the sharding that one node produces and is resharded to
// the sharding that the other node takes. A value is resharded once for all users that take it in
// the same sharding. So a value of several uses passes through one node:
//
//   norm -> shared [_, _, _] -> q, k, v        one all-gather of the norm's result, not three
//
// A result that users must read in a given sharding also passes through such a node, even for one
// user.
//
// Sections meet in boundaries: @update takes a gradient in the sharding in which @forward_backward
// leaves it, and a parameter has one sharding in both. The ops of @update choose the sharding in
// which they take the parameter. So sharded optimizers (Rajbhandari et al.: ZeRO, SC 2020) are
// points of the same search space: states split, the gradient partial or split, the parameter
// replicated or split.
//
// Leaves (constants, iota) are produced wherever they are needed, and scalars are never split;
// neither has edges.
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/strategy/propagate/ShardingAnnotator.h"
#include <string>
#include <vector>

namespace pcc::strategy {

struct SearchNode {
  enum class Kind { Op, Boundary, Shared };

  Kind kind;
  mlir::Operation *op = nullptr;    ///< of an op node
  graph::RoleAttr role = {};        ///< of a boundary node
  mlir::Value value = {};           ///< of a shared node
  mlir::RankedTensorType type = {}; ///< of boundary and shared nodes
  int64_t runs = 1;                 ///< runs per step
  /// Interval begin ≤ t < end of the step during which its results are held. Time t is the op with
  /// this number, in the order in which ops first run.
  int64_t begin = 0, end = 0;
};

/// One use. Boundary and shared nodes have one operand and one result, each with number 0.
struct SearchEdge {
  unsigned from, result;
  unsigned to, operand;
  mlir::RankedTensorType type; ///< type of the value
  int64_t runs;                ///< reshards per step
};

/// Result of a section that is no boundary and may not stay partial, such as an output of the
/// model. Its producer pays for the reduction of a partial result.
struct SearchOutput {
  unsigned from, result;
  mlir::RankedTensorType type;
  int64_t runs;
};

/// Returns the given sharding in which the users of `value` must read it, or null.
const dist::Sharding *findSeen(const SeedShardings &given, mlir::Value value);

class SearchGraph {
public:
  /// Builds the graph of a module after the phase `grad`, or of a module that does not train.
  SearchGraph(mlir::ModuleOp module, const SeedShardings &given);

  /// Ops are in program order, other nodes before the ops that read them.
  std::vector<SearchNode> nodes;
  std::vector<SearchEdge> edges;
  std::vector<SearchOutput> outputs;
};

} // namespace pcc::strategy
