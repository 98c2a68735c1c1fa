// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a question as the cost model `memory` prices it: node by node. Where a node is
// written in pieces here (Model.h), they are one op of the graph, which reads what the pieces read
// from outside and keeps whole what any of them keeps whole or reduces.
//
//   pieces of cross entropy           one op
//   softmax ([i,k]) -> ([i,k])        ([i,k],[i,k]) -> ([i]) {whole k}
//   log, mul with the labels
//   reduce k, neg
#pragma once

#include "passes/strategy/reference/MemoryGraph.h"
#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// The graph of `module`, which was made of `question`; its nodes are those of the question but for
/// reshapes, in their order. What a network that is trained returns need not be whole.
strategy::MemoryGraph makeNodeGraph(const Case &question, mlir::ModuleOp module);

/// The node of the question that `op` is, or is a piece of; empty if none.
llvm::StringRef findNode(const Case &question, mlir::Operation *op);

} // namespace pcc::conformance
