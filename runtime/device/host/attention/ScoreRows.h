// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on rows of scores, compiled for each vector width that the machine may have. An
// element is computed in the same way for any length of its row.

#pragma once

#include <cstdint>

namespace pcc::runtime::host {

/// Returns the maximum of `count` numbers and `least`; NaN are ignored.
float maximumOf(const float *row, int64_t count, float least);

/// Computes row = exp(row - shift), within 2 units in the last place.
void exponentiate(float *row, int64_t count, float shift);

float sumOf(const float *row, int64_t count);

/// Computes row = exp(row - shifts), element by element.
void exponentiate(float *row, const float *shifts, int64_t count);

/// Computes row = scale · weights · (row - means).
void scaleDifferences(float *row, const float *weights, const float *means, int64_t count,
                      float scale);

/// Computes row += mask, whose elements are `stride` apart.
void addMask(float *row, const float *mask, int64_t stride, int64_t count);

/// Computes row *= factor.
void multiplyRow(float *row, int64_t count, float factor);

/// Returns Σ a · b.
float dotProduct(const float *a, const float *b, int64_t count);

} // namespace pcc::runtime::host
