// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removal of deleted parts from a reduced core. Deep searches copy the core often.
#pragma once

#include "passes/solve/strategy/bounds/Segments.h"

namespace pcc::solve {

/// Renumbers nodes and edges of a reduced core in the same order. Replaces times by segment
/// numbers: segment s becomes time s, because no other time can bind. Terms of a node with the same
/// interval are added up. Copies share the steps made so far.
void compact(Core &core, std::vector<Segment> &segments);

} // namespace pcc::solve
