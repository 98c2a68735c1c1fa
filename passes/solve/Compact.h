// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduced core without what is gone: searches that go deep make many copies of it.
#pragma once

#include "passes/solve/Segments.h"

namespace pcc::solve {

/// Numbers nodes and edges of a reduced core anew, in the same order, and lets time count its
/// segments: segment s becomes the time s, for no other time can bind any more. Terms of a node
/// with the same interval are added up. Copies share the steps that were made so far.
void compact(Core &core, std::vector<Segment> &segments);

} // namespace pcc::solve
