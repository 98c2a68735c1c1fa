// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of gelu by the tanh formula, x/2 (1 + tanh(c (x + d x³))) (Hendrycks and Gimpel,
// Gaussian error linear units, 2016, section 2).
#pragma once

#include <numbers>

namespace pcc::graph {

/// c = √(2/π).
inline constexpr double geluScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
/// d.
inline constexpr double geluCubic = 0.044715;

} // namespace pcc::graph
