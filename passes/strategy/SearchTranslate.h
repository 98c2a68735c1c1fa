// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solution of one problem of a program as that of another one of it, in which less is given.
#pragma once

#include "passes/strategy/SearchProblem.h"

namespace pcc::strategy {

/// What `solution` of `from` is in `to`, whose nodes are among those of `from`, on the same mesh;
/// nothing if a way that it takes is not there.
std::optional<solve::StrategySolution> translate(const SearchProblem &from,
                                                 const solve::StrategySolution &solution,
                                                 const SearchProblem &to);

} // namespace pcc::strategy
