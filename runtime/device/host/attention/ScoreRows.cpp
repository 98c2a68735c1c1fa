// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that the compiler vectorizes, once each for AVX-512, AVX2 and the base instruction set.
// Sums and maxima use 16 lanes in all of them. The exponential reduces its argument with log(2) in
// two parts (Cody and Waite).

#include "runtime/device/host/attention/ScoreRows.h"

#include <algorithm>
#include <bit>
#include <cstring>

// The loader chooses the variant. A sanitizer's runtime is not initialized at that time.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PCC_VECTOR_VARIANTS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PCC_VECTOR_VARIANTS
#endif

namespace pcc::runtime::host {
namespace {

/// Number of SIMD lanes in sums and maxima, for any vector width of the machine.
constexpr int64_t lanes = 16;

/// Returns exp(x) for x up to about 80. Computes 2^n · e^r with |r| ≤ log(2)/2, and a Taylor series
/// for e^r whose first omitted term is below 2^-27. Results below the least normal number become 0;
/// NaN stay NaN.
[[gnu::always_inline]] inline float exponentialOf(float x) {
  constexpr float log2e = 1.44269504f, high = 0.693359375f, low = -2.12194440e-4f;
  constexpr float round = 12582912.0f; // 1.5 · 2^23: the sum's last bit counts ones
  float least = -87.0f;
  float limited = x < least ? least : x;
  float shifted = limited * log2e + round;
  float n = shifted - round;
  float r = (limited - n * high) - n * low;
  float e = 1.0f / 5040;
  e = e * r + 1.0f / 720;
  e = e * r + 1.0f / 120;
  e = e * r + 1.0f / 24;
  e = e * r + 1.0f / 6;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  uint32_t exponent = (std::bit_cast<uint32_t>(shifted) + 127) << 23;
  return x < least ? 0.0f : e * std::bit_cast<float>(exponent);
}

/// A vector type: the compiler does not vectorize a loop over lanes with a conditional.
typedef float Lanes __attribute__((vector_size(lanes * sizeof(float))));

} // namespace

PCC_VECTOR_VARIANTS float maximumOf(const float *row, int64_t count, float least) {
  Lanes best = Lanes{} + least, next;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    std::memcpy(&next, row + i, sizeof(next));
    best = next > best ? next : best;
  }
  for (; i < count; ++i)
    least = row[i] > least ? row[i] : least;
  for (int64_t lane = 0; lane < lanes; ++lane)
    least = best[lane] > least ? best[lane] : least;
  return least;
}

PCC_VECTOR_VARIANTS void exponentiate(float *row, int64_t count, float shift) {
  for (int64_t i = 0; i < count; ++i)
    row[i] = exponentialOf(row[i] - shift);
}

PCC_VECTOR_VARIANTS float sumOf(const float *row, int64_t count) {
  float sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += row[i + lane];
  for (; i < count; ++i)
    sums[i % lanes] += row[i];
  float sum = 0;
  for (float each : sums)
    sum += each;
  return sum;
}

PCC_VECTOR_VARIANTS void exponentiate(float *__restrict row, const float *__restrict shifts,
                                      int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    row[i] = exponentialOf(row[i] - shifts[i]);
}

PCC_VECTOR_VARIANTS void scaleDifferences(float *__restrict row, const float *__restrict weights,
                                          const float *__restrict means, int64_t count,
                                          float scale) {
  for (int64_t i = 0; i < count; ++i)
    row[i] = scale * weights[i] * (row[i] - means[i]);
}

PCC_VECTOR_VARIANTS void addMask(float *__restrict row, const float *__restrict mask,
                                 int64_t stride, int64_t count) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      row[i] += mask[i];
  else
    for (int64_t i = 0; i < count; ++i)
      row[i] += mask[i * stride];
}

PCC_VECTOR_VARIANTS void multiplyRow(float *row, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i)
    row[i] *= factor;
}

PCC_VECTOR_VARIANTS float dotProduct(const float *__restrict a, const float *__restrict b,
                                     int64_t count) {
  float sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i)
    sums[i % lanes] += a[i] * b[i];
  float sum = 0;
  for (float each : sums)
    sum += each;
  return sum;
}

} // namespace pcc::runtime::host
