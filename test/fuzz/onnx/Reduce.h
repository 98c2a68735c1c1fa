// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/fuzz/onnx/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::fuzz {

/// Drops outputs and nodes while `fails` holds. What a dropped node computed becomes an input of
/// the graph with the very elements.
Graph reduceGraph(Graph graph, llvm::function_ref<bool(const Graph &)> fails);

} // namespace pcc::fuzz
