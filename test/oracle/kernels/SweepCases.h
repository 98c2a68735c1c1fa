// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of kernel over small sizes. At these sizes LLVM unrolls some loops, vectorizes others,
// and folds the arithmetic of positions. A case is a form, a shape and an element type:
//
//   shape   [outer, repeated, inner], of sizes 1 to 5, 2 to 65 and 1 to 9
//   form    such as "x[o, r, i] + b[r] + c[o, r]", a concat along r, a sum over o and i
//   type    every type that the form supports
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::test {

/// Returns the number of pairs of a form and a shape.
int64_t countSweepCases();

/// Returns the function of one pair, as text. `type` is the number of a type of the form, modulo
/// their count. The function is called `NAME`0.
std::string sweepCase(const std::string &name, int64_t number, int64_t type);

/// Returns the number of types of the pair.
int64_t countSweepTypes(int64_t number);

} // namespace pcc::test
