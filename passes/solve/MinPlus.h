// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loop of everything: out[j] = min over i of (left[i] + table[i][j]), rows padded to
// kLanes. One copy per instruction set; the loader takes the best that the machine has.
#pragma once

#include <cstddef>

namespace pcc::solve {

void minPlus(const float *left, const float *table, int rows, int stride, float *out);
void minPlus(const double *left, const double *table, int rows, int stride, double *out);

/// The least of `values`, and where it is first.
int argMin(const double *values, int count);
float least(const float *values, int count);

} // namespace pcc::solve
