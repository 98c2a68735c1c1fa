// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a question with its strategies, as a module.
//
// Most operators become one op of the node's name. Others become several: what the reference system
// repeats implicitly is repeated by an op of its own, layer norm and cross entropy are written in
// pieces. A site says where an operand or a result of the node is found among them.
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
  /// The question says how users see the result.
  bool isScattered = false;
};

struct Model {
  /// A module whose @forward returns the question's outputs.
  std::string text;
  /// The same, returning the sum of the squares of all outputs as the loss, so that the gradient
  /// that enters a node is cut as its output is.
  std::string trainingText;
  std::map<std::string, NodeSites> nodes;
  /// The first operator that is not known here; the rest is then empty.
  std::string unknownOperator;
};

Model makeModel(const Case &question);

/// Elements of all inputs and parameters, global.
int64_t countElements(const Case &question);

/// True if every rank is fed the whole input.
bool isFullBatch(const Case &question);

/// The rank whose program is asked for.
int64_t rankOf(const Case &question);

} // namespace pcc::conformance
