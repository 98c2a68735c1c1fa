// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a question, with one node for each node of the question, as the cost model `memory`
// evaluates it. If a node is written as a decomposition (Model.h), its ops become one op of the
// graph. The joined op reads the operands that come from outside. It keeps a factor whole if one of
// its pieces keeps the factor whole or reduces it.
//
//   pieces of cross entropy           one op
//   softmax ([i,k]) -> ([i,k])        ([i,k],[i,k]) -> ([i]) {whole k}
//   log, mul with the labels
//   reduce k, neg
#pragma once

#include "passes/strategy/memory_model/MemoryModel.h"
#include "test/conformance/training/Case.h"

namespace pcc::conformance {

/// Makes the graph of `module`, which was made from `question`. Its nodes are the question's nodes
/// without reshapes, in their order. The outputs of a trained network need not be whole.
strategy::MemoryGraph makeNodeGraph(const Case &question, mlir::ModuleOp module);

/// Returns the question's node to which `op` belongs; empty if there is none.
llvm::StringRef findNode(const Case &question, mlir::Operation *op);

} // namespace pcc::conformance
