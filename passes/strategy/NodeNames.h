// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By which names people speak of what a search decides about.
//
//   /fc1/MatMul             an op; of several with the name the one that does most of the work
//   /fc1/MatMul#1           the second one of that name, in program order
//   fc1.weight              a parameter, a state or an input
//   gradient fc1.weight     its gradient
#pragma once

#include "passes/strategy/SearchGraph.h"

namespace pcc::strategy {

/// The name that tells each op and boundary of `graph` from all others; empty for shared values.
std::vector<std::string> nameNodes(const SearchGraph &graph);

/// The node that is meant by `name`, if there is one.
std::optional<unsigned> findNode(const SearchGraph &graph, llvm::StringRef name);

/// Up to three names that look most like `name`, the nearest first; none that has little in common.
std::vector<std::string> findNearNames(const SearchGraph &graph, llvm::StringRef name);

} // namespace pcc::strategy
