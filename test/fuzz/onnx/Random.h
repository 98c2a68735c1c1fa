// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are equal on every machine, unlike the distributions of the standard library.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <random>

namespace pcc::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed * 0x9E3779B97F4A7C15u + 1) {}

  /// Returns a number in [0, end).
  int64_t below(int64_t end) { return static_cast<int64_t>(engine() % static_cast<uint64_t>(end)); }
  /// Returns a number in [low, high].
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  /// Returns true in `percent` of 100 cases.
  bool chance(int64_t percent) { return below(100) < percent; }
  double uniform(double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(engine() >> 11);
  }
  template <typename T> T of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<int64_t>(list.size()))];
  }
  template <typename T> const T &of(llvm::ArrayRef<T> list) {
    return list[below(static_cast<int64_t>(list.size()))];
  }
  /// Reorders `list`.
  template <typename List> void shuffle(List &list) {
    for (size_t n = list.size(); n > 1; --n)
      std::swap(list[n - 1], list[below(static_cast<int64_t>(n))]);
  }

private:
  std::mt19937_64 engine;
};

} // namespace pcc::fuzz
