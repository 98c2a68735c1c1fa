// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on rows of scores, in a variant for each width of vectors that the machine may have.
// Whatever the length of a row, an element of it is computed the same way.

#ifndef PCC_RUNTIME_DEVICE_HOST_SCOREROWS_H
#define PCC_RUNTIME_DEVICE_HOST_SCOREROWS_H

#include <cstdint>

namespace pcc::runtime::host {

/// The greatest of `count` numbers and `least`; NaN are passed over.
float maximumOf(const float *row, int64_t count, float least);

/// row = exp(row - shift), within 2 units in the last place.
void exponentiate(float *row, int64_t count, float shift);

float sumOf(const float *row, int64_t count);

/// row = exp(row - shifts), element by element.
void exponentiate(float *row, const float *shifts, int64_t count);

/// row = scale · weights · (row - means).
void scaleDifferences(float *row, const float *weights, const float *means, int64_t count,
                      float scale);

/// row += mask, whose elements lie `stride` apart.
void addMask(float *row, const float *mask, int64_t stride, int64_t count);

/// row *= factor.
void multiplyRow(float *row, int64_t count, float factor);

/// Σ a · b.
float dotProduct(const float *a, const float *b, int64_t count);

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_SCOREROWS_H
