// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the graph of a question with its strategies as a module.
//
// Most operators become one op with the name of the node. Others become several ops: an implicit
// repetition of MindSpore becomes an op of its own, and layer norm and cross entropy are
// written as their decompositions. A site says which op has an operand or a result of the node.
//
//   {"name": "a", "op": "Sub", "in": ["x", "b"], "strategy": [[2,1,2],[2,2]]}
//   for x of 8x1x32 and b of 16x32 becomes
//     %a_0 = graph.broadcast %x, [0, 1, 2] …    operand 0 of the node: its operand 0
//     %a_1 = graph.broadcast %b, [1, 2] …       operand 1 of the node: its operand 0
//     %a = graph.sub %a_0, %a_1 {dist.in = "((2,1,2),(2,2))"} …    result 0: its result 0
#pragma once

#include "test/conformance/training/Case.h"
#include <map>

namespace pcc::conformance {

/// An operand or a result of the op called `op`.
struct Site {
  std::string op;
  unsigned index = 0;
};

struct NodeSites {
  std::vector<Site> operands, results;
  /// True if the question gives the strategy of the result.
  bool isScattered = false;
};

struct Model {
  /// A module whose @forward returns the question's outputs.
  std::string text;
  /// The same graph with the sum of the squares of all outputs as the loss. The gradient that
  /// enters a node is then cut as the node's output is.
  std::string trainingText;
  std::map<std::string, NodeSites> nodes;
  /// First operator without a translation. If it is set, the other members are empty.
  std::string unknownOperator;
};

Model makeModel(const Case &question);

/// Returns the number of elements of all inputs and parameters, global.
int64_t countElements(const Case &question);

/// Returns true if every rank is fed the whole input.
bool isFullBatch(const Case &question);

/// Returns the rank whose program the question asks for.
int64_t rankOf(const Case &question);

} // namespace pcc::conformance
