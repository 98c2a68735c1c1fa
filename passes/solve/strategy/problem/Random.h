// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that do not depend on the standard library (xorshift64*, Vigna, An experimental
// exploration of Marsaglia's xorshift generators, scrambled, 2016).
#pragma once

#include <cmath>
#include <cstdint>

namespace pcc::solve {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15U + 0x632BE59BD9B4E019U) {
    for (int i = 0; i < 4; ++i)
      next();
  }

  uint64_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1DU;
  }

  /// Returns 0 ≤ result < count.
  uint32_t below(uint32_t count) { return uint32_t(((next() >> 32) * count) >> 32); }

  /// Returns 0 ≤ result < 1.
  double unit() { return double(next() >> 11) * 0x1p-53; }

  /// Returns a number between `low` and `high`, uniform in its logarithm.
  double logUniform(double low, double high) { return low * std::pow(high / low, unit()); }

private:
  uint64_t state;
};

/// Returns a position of the minimum of `values`. Random ties let the search cross plateaus.
inline int randomArgMin(const double *values, int count, Random &random) {
  int start = static_cast<int>(random.below(count)), found = start;
  for (int k = 1; k < count; ++k) {
    int i = start + k < count ? start + k : start + k - count;
    if (values[i] < values[found])
      found = i;
  }
  return found;
}

} // namespace pcc::solve
