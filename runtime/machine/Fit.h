// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fits figures to measured times: least squares of relative errors, no figure below zero.
//
//   matmul   seconds = launch + flops / rate * (1 + lost_rows/r + lost_columns/c + lost_depth/d),
//            which is linear in launch, 1/rate and the three losses over the rate
//   line     seconds = start + amount / rate

#pragma once

#include "runtime/machine/MatmulSize.h"

#include <span>
#include <vector>

namespace pcc::machine {

struct MatmulTime {
  MatmulSize matmul;
  double seconds;
};

struct MatmulFit {
  double launchSeconds = 0, flopsPerSecond = 0;
  double lostRows = 0, lostColumns = 0, lostDepth = 0;
  /// Root of the mean square of the relative errors.
  double residual = 0;
};

/// Fits matmul times. There must be more times than figures. The rate is positive.
MatmulFit fitMatmuls(std::span<const MatmulTime> times);

struct AmountTime {
  double amount; ///< bytes, or flops
  double seconds;
};

struct LineFit {
  double start = 0; ///< seconds
  double rate = 0;  ///< amount per second
  double residual = 0;
};

/// Fits the times of at least two amounts. The rate is positive.
LineFit fitLine(std::span<const AmountTime> times);

/// Returns the x >= 0 with the least squares of the relative errors (rows · x - targets) / targets.
/// All `rows` have one length; `targets` are positive.
std::vector<double> solveLeastSquares(std::span<const std::vector<double>> rows,
                                      std::span<const double> targets);

} // namespace pcc::machine
