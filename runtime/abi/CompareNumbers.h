// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares results of programs, in which NaN and infinities may be expected.

#pragma once

#include <cmath>

namespace pcc::abi {

/// Returns whether two numbers are equal; NaN equals NaN.
inline bool isSameNumber(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

/// Returns |x - y|. NaN and infinities have distance 0 from themselves and an infinite distance
/// from all other numbers.
inline double distanceOf(double x, double y) {
  if (isSameNumber(x, y))
    return 0.0;
  double difference = std::fabs(x - y);
  return std::isnan(difference) ? HUGE_VAL : difference;
}

} // namespace pcc::abi
