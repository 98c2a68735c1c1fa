// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides each row by its target, so that relative errors become absolute ones. Solves the normal
// equations by Gauss-Jordan elimination, with columns scaled to norm one. While a coefficient is
// negative, the most negative one is fixed to zero.

#include "runtime/machine/Fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcc::machine {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Solves a · x = b by elimination with pivots. A column without a pivot gives 0.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  size_t n = b.size();
  std::vector<bool> hasPivot(n, false);
  for (size_t column = 0; column < n; ++column) {
    size_t best = column;
    for (size_t row = column; row < n; ++row)
      if (std::abs(a[row][column]) > std::abs(a[best][column]))
        best = row;
    if (std::abs(a[best][column]) < 1e-300)
      continue;
    hasPivot[column] = true;
    std::swap(a[best], a[column]);
    std::swap(b[best], b[column]);
    for (size_t row = 0; row < n; ++row) {
      double factor = row == column ? 0 : a[row][column] / a[column][column];
      if (factor == 0)
        continue;
      for (size_t k = column; k < n; ++k)
        a[row][k] -= factor * a[column][k];
      b[row] -= factor * b[column];
    }
  }
  std::vector<double> x(n);
  for (size_t i = 0; i < n; ++i)
    x[i] = hasPivot[i] ? b[i] / a[i][i] : 0;
  return x;
}

/// Solves the normal equations of the `used` columns, each scaled to norm one.
std::vector<double> solveUsed(const Matrix &rows, const std::vector<bool> &used) {
  size_t n = used.size();
  std::vector<double> norm(n, 0);
  for (const std::vector<double> &row : rows)
    for (size_t i = 0; i < n; ++i)
      norm[i] += row[i] * row[i];
  Matrix a(n, std::vector<double>(n, 0));
  std::vector<double> b(n, 0);
  for (size_t i = 0; i < n; ++i) {
    if (!used[i] || norm[i] == 0)
      continue;
    for (const std::vector<double> &row : rows) {
      b[i] += row[i] / std::sqrt(norm[i]);
      for (size_t j = 0; j < n; ++j)
        if (used[j] && norm[j] > 0)
          a[i][j] += row[i] * row[j] / std::sqrt(norm[i] * norm[j]);
    }
  }
  std::vector<double> x = solve(std::move(a), std::move(b));
  for (size_t i = 0; i < n; ++i)
    x[i] = norm[i] > 0 ? x[i] / std::sqrt(norm[i]) : 0;
  return x;
}

/// Returns the root of the mean square of rows · x / targets - 1.
double residualOf(std::span<const std::vector<double>> rows, std::span<const double> targets,
                  const std::vector<double> &x) {
  double sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    double value = 0;
    for (size_t k = 0; k < x.size(); ++k)
      value += rows[i][k] * x[k];
    sum += (value / targets[i] - 1) * (value / targets[i] - 1);
  }
  return std::sqrt(sum / static_cast<double>(rows.size()));
}

/// Returns 1/x. A coefficient of zero gives a rate so high that it does not matter.
double inverse(double x) { return 1 / std::max(x, 1e-30); }

} // namespace

std::vector<double> solveLeastSquares(std::span<const std::vector<double>> rows,
                                      std::span<const double> targets) {
  Matrix scaled(rows.begin(), rows.end());
  for (size_t i = 0; i < rows.size(); ++i)
    for (double &value : scaled[i])
      value /= targets[i];
  std::vector<bool> used(rows[0].size(), true);
  while (true) {
    std::vector<double> x = solveUsed(scaled, used);
    auto least = std::ranges::min_element(x);
    if (*least >= 0)
      return x;
    used[least - x.begin()] = false;
  }
}

MatmulFit fitMatmuls(std::span<const MatmulTime> times) {
  Matrix rows;
  std::vector<double> seconds;
  for (const MatmulTime &time : times) {
    double flops = time.matmul.flops();
    rows.push_back({1, flops, flops / time.matmul.rows, flops / time.matmul.columns,
                    flops / time.matmul.depth});
    seconds.push_back(time.seconds);
  }
  std::vector<double> x = solveLeastSquares(rows, seconds);
  double rate = inverse(x[1]);
  return {x[0], rate, x[2] * rate, x[3] * rate, x[4] * rate, residualOf(rows, seconds, x)};
}

LineFit fitLine(std::span<const AmountTime> times) {
  Matrix rows;
  std::vector<double> seconds;
  for (const AmountTime &time : times) {
    rows.push_back({1, time.amount});
    seconds.push_back(time.seconds);
  }
  std::vector<double> x = solveLeastSquares(rows, seconds);
  double rate = inverse(x[1]);
  if (x[1] == 0) { // times do not grow with the amount: use the highest rate seen
    rate = 0;
    for (const AmountTime &time : times)
      rate = std::max(rate, time.amount / time.seconds);
  }
  return {x[0], rate, residualOf(rows, seconds, x)};
}

} // namespace pcc::machine
