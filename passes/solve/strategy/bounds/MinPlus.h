// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inner loop of the search: out[j] = min over i of (left[i] + table[i][j]), with rows padded to
// kLanes (reduce/FlatProblem.h). On x86-64 there is one version per instruction set; the loader
// picks the best one for the machine.
#pragma once

#include <cstddef>

namespace pcc::solve {

/// `rows` is at least 1. `stride` is a multiple of kLanes; `out` has room for as many numbers.
void minPlus(const float *left, const float *table, int rows, int stride, float *out);
void minPlus(const double *left, const double *table, int rows, int stride, double *out);

/// Returns the first position of the minimum of at least one value.
int argMin(const double *values, int count);
/// Returns the minimum of at least one value.
float minValue(const float *values, int count);

} // namespace pcc::solve
