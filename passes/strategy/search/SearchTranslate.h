// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a solution to another problem of the same program with fewer given shardings.
#pragma once

#include "passes/strategy/search/SearchProblem.h"

namespace pcc::strategy {

/// Returns the solution of `to` that corresponds to `solution` of `from`. The nodes of `to` must be
/// among those of `from`, on the same mesh. Returns nullopt if `to` lacks a chosen option.
std::optional<solve::StrategySolution> translate(const SearchProblem &from,
                                                 const solve::StrategySolution &solution,
                                                 const SearchProblem &to);

} // namespace pcc::strategy
