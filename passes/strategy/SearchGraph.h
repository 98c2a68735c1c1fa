// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search decides about, over the whole training step, and where a decision meets another.
//
//   node       stands for                             its choice
//   op         an op of a section                     one of its options (OpOptions.h)
//   boundary   a parameter, state, gradient or input  the sharding in which sections pass it
//   shared     a value that several ops use           the sharding in which they see it
//
// An edge is a use: the value comes as one node leaves it and goes on as the other wants it. A
// value is resharded once for all who want it alike; so its way to several users leads over one
// node,
//
//   norm -> shared [_, _, _] -> q, k, v        one all-gather of the norm's result, not three
//
// So does the way of a result whose users are to see it in a given sharding, be it to one user.
//
// Sections meet in boundaries: a gradient as @forward_backward leaves it is what @update takes, and
// a parameter is cut in one way in both. What @update wants it as is its own choice, so sharded
// optimizers (Rajbhandari et al.: ZeRO, SC 2020) are points of the same space: states split, the
// gradient left partial or split, the parameter whole or split.
//
// Leaves (constants, iota) are made wherever they are wanted, and scalars are never split; neither
// has edges.
#pragma once

#include "passes/facts/Sections.h"
#include "passes/strategy/StepMarker.h"
#include <string>
#include <vector>

namespace pcc::strategy {

struct SearchNode {
  enum class Kind { Op, Boundary, Shared };

  Kind kind;
  mlir::Operation *op = nullptr;    ///< of an op
  graph::RoleAttr role = {};        ///< of a boundary
  mlir::Value value = {};           ///< of what is shared
  mlir::RankedTensorType type = {}; ///< of a boundary and of what is shared
  int64_t runs = 1;                 ///< how often a step does it
  /// Between which points of the step its results are held: ops in the order in which they first
  /// run, and their number, when all have run.
  int64_t begin = 0, end = 0;
};

/// One use. The operand of a boundary and of what is shared is number 0, and so is the result.
struct SearchEdge {
  unsigned from, result;
  unsigned to, operand;
  mlir::RankedTensorType type; ///< of the value
  int64_t runs;                ///< how often a step reshards it
};

/// A result that leaves the step, and is summed before if it is a partial one.
struct SearchOutput {
  unsigned from, result;
  mlir::RankedTensorType type;
  int64_t runs;
};

/// In which sharding the users of `value` are told to see it; null if nothing is said.
const dist::Sharding *findSeen(const GivenShardings &given, mlir::Value value);

class SearchGraph {
public:
  /// Of a module after the stage grad, or of one that does not train.
  SearchGraph(mlir::ModuleOp module, const GivenShardings &given);

  std::vector<SearchNode> nodes; ///< ops in program order, each before its users
  std::vector<SearchEdge> edges;
  std::vector<SearchOutput> outputs;
};

} // namespace pcc::strategy
