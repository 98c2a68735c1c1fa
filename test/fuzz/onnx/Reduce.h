// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/fuzz/onnx/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::fuzz {

/// Drops outputs and nodes while `fails` holds. The results of a dropped node become inputs of the
/// graph with the same elements.
Graph reduceGraph(Graph graph, llvm::function_ref<bool(const Graph &)> fails);

} // namespace pcc::fuzz
