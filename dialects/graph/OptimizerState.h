// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotation of a `graph.parameter` that holds an optimizer's state.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace pcc::graph {

/// Set on a state: the symbol of the parameter that it belongs to.
inline constexpr llvm::StringLiteral stateOfName = "graph.state_of";

} // namespace pcc::graph
