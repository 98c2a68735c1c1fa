// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain loops over blocks of up to 32 columns, whose minima stay in registers. The compiler
// vectorizes them once per instruction set (target_clones). Sanitizer builds have one version only.
#include "passes/solve/strategy/bounds/MinPlus.h"

#include "passes/solve/strategy/reduce/FlatProblem.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PCC_FOR_EACH_MACHINE                                                                       \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PCC_FOR_EACH_MACHINE
#endif

namespace pcc::solve {

/// Computes `Width` columns at once, so they stay in registers.
template <int Width, typename T>
[[gnu::always_inline]] static inline void minPlusColumns(const T *left, const T *table, int rows,
                                                         int stride, T *out) {
  T minValue[Width];
  for (int k = 0; k < Width; ++k)
    minValue[k] = left[0] + table[k];
  for (int i = 1; i < rows; ++i) {
    const T *row = table + size_t(i) * stride;
    T add = left[i];
    for (int k = 0; k < Width; ++k) {
      T sum = add + row[k];
      minValue[k] = sum < minValue[k] ? sum : minValue[k];
    }
  }
  for (int k = 0; k < Width; ++k)
    out[k] = minValue[k];
}

template <typename T>
[[gnu::always_inline]] static inline void minPlusOf(const T *left, const T *table, int rows,
                                                    int stride, T *out) {
  int column = 0;
  for (; column + 4 * kLanes <= stride; column += 4 * kLanes)
    minPlusColumns<4 * kLanes>(left, table + column, rows, stride, out + column);
  if (stride - column == 3 * kLanes)
    minPlusColumns<3 * kLanes>(left, table + column, rows, stride, out + column);
  else if (stride - column == 2 * kLanes)
    minPlusColumns<2 * kLanes>(left, table + column, rows, stride, out + column);
  else if (stride - column == kLanes)
    minPlusColumns<kLanes>(left, table + column, rows, stride, out + column);
}

PCC_FOR_EACH_MACHINE
void minPlus(const float *left, const float *table, int rows, int stride, float *out) {
  minPlusOf(left, table, rows, stride, out);
}

PCC_FOR_EACH_MACHINE
void minPlus(const double *left, const double *table, int rows, int stride, double *out) {
  minPlusOf(left, table, rows, stride, out);
}

int argMin(const double *values, int count) {
  int best = 0;
  for (int i = 1; i < count; ++i)
    if (values[i] < values[best])
      best = i;
  return best;
}

float minValue(const float *values, int count) {
  float best = values[0];
  for (int i = 1; i < count; ++i)
    best = values[i] < best ? values[i] : best;
  return best;
}

} // namespace pcc::solve
