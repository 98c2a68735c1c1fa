// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing in order of time, as an allocator does at run time. It needs n log n steps for n items,
// where the search of PackSearch.h compares all pairs of items that are live together.
#pragma once

#include "passes/solve/pack/PackProblem.h"

namespace pcc::solve {

/// Returns the better of two packings: forward and backward in time, each item in the smallest free
/// range that holds it. Deterministic.
PackSolution packByTime(const PackProblem &problem);

/// Returns the number of pairs of items that are live together.
int64_t countLivePairs(const PackProblem &problem);

} // namespace pcc::solve
