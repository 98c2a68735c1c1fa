// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on single elements. Integers wrap; C++ guarantees this only for unsigned numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pcc::values {

inline int64_t wrapping(uint64_t x) { return static_cast<int64_t>(x); }
inline int64_t add(int64_t x, int64_t y) { return wrapping(uint64_t(x) + uint64_t(y)); }
inline int64_t subtract(int64_t x, int64_t y) { return wrapping(uint64_t(x) - uint64_t(y)); }
inline int64_t multiply(int64_t x, int64_t y) { return wrapping(uint64_t(x) * uint64_t(y)); }

inline uint64_t add(uint64_t x, uint64_t y) { return x + y; }
inline uint64_t multiply(uint64_t x, uint64_t y) { return x * y; }

inline double add(double x, double y) { return x + y; }
inline double subtract(double x, double y) { return x - y; }
inline double multiply(double x, double y) { return x * y; }

/// Returns the greater number; NaN if one of them is NaN.
inline double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? x + y : std::max(x, y);
}
inline int64_t maximum(int64_t x, int64_t y) { return std::max(x, y); }
inline uint64_t maximum(uint64_t x, uint64_t y) { return std::max(x, y); }

/// Returns the lesser number; NaN if one of them is NaN.
inline double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? x + y : std::min(x, y);
}
inline int64_t minimum(int64_t x, int64_t y) { return std::min(x, y); }
inline uint64_t minimum(uint64_t x, uint64_t y) { return std::min(x, y); }

} // namespace pcc::values
