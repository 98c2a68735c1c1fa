// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inner loop of the search: out[j] = min over i of (left[i] + table[i][j]), with rows padded to
// kLanes. There is one version per instruction set; the loader picks the best one for the machine.
#pragma once

#include <cstddef>

namespace pcc::solve {

void minPlus(const float *left, const float *table, int rows, int stride, float *out);
void minPlus(const double *left, const double *table, int rows, int stride, double *out);

/// Return the first position of the minimum, and the minimum.
int argMin(const double *values, int count);
float minValue(const float *values, int count);

} // namespace pcc::solve
