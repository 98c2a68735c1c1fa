// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names by which users refer to the nodes of a search.
//
//   /fc1/MatMul             an op; if several ops share the name, the op with the most flops
//   /fc1/MatMul#1           the second op of that name, in program order
//   fc1.weight              a parameter, a state or an input
//   gradient fc1.weight     the gradient of a parameter
#pragma once

#include "passes/strategy/search/SearchGraph.h"

namespace pcc::strategy {

/// Returns a unique name for each op and boundary of `graph`; empty for shared values.
std::vector<std::string> nameNodes(const SearchGraph &graph);

/// Returns the node that `name` refers to, if there is one.
std::optional<unsigned> findNode(const SearchGraph &graph, llvm::StringRef name);

/// Returns up to three names similar to `name`, the most similar first; omits dissimilar names.
std::vector<std::string> findNearNames(const SearchGraph &graph, llvm::StringRef name);

} // namespace pcc::strategy
