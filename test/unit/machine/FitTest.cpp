// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/Fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace pcc::machine {
namespace {

TEST(Fit, FindsTheFiguresThatMadeTheTimes) {
  std::vector<MatmulTime> times;
  for (double rows : {8, 64, 512})
    for (double columns : {16, 128})
      for (double depth : {32, 300}) {
        MatmulSize matmul{1, rows, columns, depth};
        double work = 1 + 4 / rows + 2 / columns + 10 / depth;
        times.push_back({matmul, 2e-6 + matmul.flops() / 1e11 * work});
      }
  MatmulFit fit = fitMatmuls(times);
  EXPECT_NEAR(fit.launchSeconds, 2e-6, 1e-10);
  EXPECT_NEAR(fit.flopsPerSecond, 1e11, 1e6);
  EXPECT_NEAR(fit.lostRows, 4, 1e-3);
  EXPECT_NEAR(fit.lostColumns, 2, 1e-3);
  EXPECT_NEAR(fit.lostDepth, 10, 1e-3);
  EXPECT_NEAR(fit.residual, 0, 1e-6);
}

TEST(Fit, NothingIsBelowZero) {
  std::vector<AmountTime> times = {{1, 0.5}, {2, 2}, {3, 3.5}}; // through -1
  LineFit fit = fitLine(times);
  EXPECT_EQ(fit.start, 0);
  EXPECT_GT(fit.rate, 0);
  EXPECT_GT(fit.residual, 0.1);
}

TEST(Fit, ALine) {
  std::vector<AmountTime> times = {{0, 1}, {10, 3}, {20, 5}};
  LineFit fit = fitLine(times);
  EXPECT_NEAR(fit.start, 1, 1e-9);
  EXPECT_NEAR(fit.rate, 5, 1e-9);
}

using Rows = std::vector<std::vector<double>>;

/// Returns the sum of the squares of the relative errors.
double errorOf(const Rows &rows, const std::vector<double> &targets, const std::vector<double> &x) {
  double sum = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    double value = 0;
    for (size_t i = 0; i < x.size(); ++i)
      value += rows[row][i] * x[i];
    sum += (value / targets[row] - 1) * (value / targets[row] - 1);
  }
  return sum;
}

/// Returns the unconstrained optimum of the columns in `support`, by conjugate gradients on the
/// normal equations; the other coefficients are 0.
std::vector<double> solveSupport(const Rows &rows, const std::vector<double> &targets,
                                 unsigned support) {
  size_t n = rows[0].size();
  std::vector<double> x(n, 0), residual(n, 0);
  auto multiply = [&](const std::vector<double> &v) {
    std::vector<double> product(n, 0);
    for (size_t row = 0; row < rows.size(); ++row) {
      double value = 0;
      for (size_t i = 0; i < n; ++i)
        value += rows[row][i] / targets[row] * v[i];
      for (size_t i = 0; i < n; ++i)
        product[i] += support >> i & 1 ? rows[row][i] / targets[row] * value : 0;
    }
    return product;
  };
  auto dot = [](const std::vector<double> &a, const std::vector<double> &b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    return sum;
  };
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t i = 0; i < n; ++i)
      residual[i] += support >> i & 1 ? rows[row][i] / targets[row] : 0;
  std::vector<double> direction = residual;
  for (int step = 0; step < 100 && dot(residual, residual) > 1e-24; ++step) {
    std::vector<double> image = multiply(direction);
    double before = dot(residual, residual), length = before / dot(direction, image);
    for (size_t i = 0; i < n; ++i) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    double share = dot(residual, residual) / before;
    for (size_t i = 0; i < n; ++i)
      direction[i] = residual[i] + share * direction[i];
  }
  return x;
}

/// Returns the least error of x >= 0: that of the best support whose optimum is not negative.
double findLeastError(const Rows &rows, const std::vector<double> &targets) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned support = 0; support < 1u << rows[0].size(); ++support) {
    std::vector<double> x = solveSupport(rows, targets, support);
    if (*std::ranges::min_element(x) >= 0)
      least = std::min(least, errorOf(rows, targets, x));
  }
  return least;
}

TEST(Fit, LeastSquaresAreTheOptimumOfAllSupports) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1), positive(0.5, 2);
    size_t columns = 1 + seed % 5;
    Rows rows(columns + 1 + seed % 4, std::vector<double>(columns));
    std::vector<double> targets;
    for (std::vector<double> &row : rows) {
      for (double &value : row)
        value = number(random);
      targets.push_back(positive(random));
    }
    std::vector<double> x = solveLeastSquares(rows, targets);
    EXPECT_GE(*std::ranges::min_element(x), 0);
    EXPECT_NEAR(errorOf(rows, targets, x), findLeastError(rows, targets), 1e-9);
  }
}

// Equal columns and a column of zeros have no unique optimum, but a least error.
TEST(Fit, LeastSquaresOfDependentColumns) {
  Rows rows = {{1, 1, 0}, {2, 2, 0}, {3, 3, 0}};
  std::vector<double> targets = {2, 4, 6}, x = solveLeastSquares(rows, targets);
  EXPECT_NEAR(x[0] + x[1], 2, 1e-12);
  EXPECT_EQ(x[2], 0);
}

} // namespace
} // namespace pcc::machine
