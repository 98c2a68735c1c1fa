// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures from measured times: least squares of relative errors, no figure below zero.
//
//   product     seconds = launch + flops / rate * (1 + lost_rows/r + lost_columns/c +
//   lost_depth/d),
//               which is linear in launch, 1/rate and the three losses over the rate
//   line        seconds = start + amount / rate

#ifndef PCC_RUNTIME_MACHINE_FIT_H
#define PCC_RUNTIME_MACHINE_FIT_H

#include "runtime/machine/Product.h"

#include <span>
#include <vector>

namespace pcc::machine {

struct ProductTime {
  Product product;
  double seconds;
};

struct ProductFit {
  double launchSeconds = 0, flopsPerSecond = 0;
  double lostRows = 0, lostColumns = 0, lostDepth = 0;
  /// Root of the mean square of the relative errors.
  double residual = 0;
};

/// Of more times than there are figures. The rate is positive.
ProductFit fitProducts(std::span<const ProductTime> times);

struct AmountTime {
  double amount; ///< bytes, or flops
  double seconds;
};

struct LineFit {
  double start = 0; ///< seconds
  double rate = 0;  ///< of the amount, in a second
  double residual = 0;
};

/// Of the times of at least two amounts. The rate is positive.
LineFit fitLine(std::span<const AmountTime> times);

/// The x >= 0 for which the errors of rows · x - targets, relative to the targets, are least in the
/// sum of their squares; a coefficient that would be negative is zero. `rows` have one length,
/// `targets` are positive.
std::vector<double> solveLeastSquares(std::span<const std::vector<double>> rows,
                                      std::span<const double> targets);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_FIT_H
