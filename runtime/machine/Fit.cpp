// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides each row by its target, so that relative errors become absolute ones, and scales columns
// to norm one. Non-negative least squares is the active-set algorithm NNLS of Lawson and Hanson,
// "Solving Least Squares Problems" (1974), chapter 23. Its subproblems are normal equations, which
// Gauss-Jordan elimination solves.

#include "runtime/machine/Fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcc::machine {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Solves a · x = b by elimination with pivots. A column without a pivot gets 0.
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

/// Normal equations of least squares: gram · x = moments.
struct NormalEquations {
  Matrix gram;
  std::vector<double> moments;

  size_t size() const { return moments.size(); }
  /// Solves the equations of the `used` columns; the other coefficients are 0.
  std::vector<double> solveUsed(const std::vector<bool> &used) const;
  /// Returns minus half of the gradient of the squared error at `x`.
  std::vector<double> getDescent(const std::vector<double> &x) const;
};

std::vector<double> NormalEquations::solveUsed(const std::vector<bool> &used) const {
  Matrix a(size(), std::vector<double>(size(), 0));
  std::vector<double> b(size(), 0);
  for (size_t i = 0; i < size(); ++i) {
    if (!used[i])
      continue;
    b[i] = moments[i];
    for (size_t j = 0; j < size(); ++j)
      a[i][j] = used[j] ? gram[i][j] : 0;
  }
  return solve(std::move(a), std::move(b));
}

std::vector<double> NormalEquations::getDescent(const std::vector<double> &x) const {
  std::vector<double> descent = moments;
  for (size_t i = 0; i < size(); ++i)
    for (size_t j = 0; j < size(); ++j)
      descent[i] -= gram[i][j] * x[j];
  return descent;
}

/// Moves `x` towards `target`, the optimum of the used columns, until a coefficient becomes 0.
/// Such coefficients are no longer used. Returns whether `x` reached `target`.
bool stepTowards(const std::vector<double> &target, std::vector<double> &x,
                 std::vector<bool> &used) {
  double share = 1;
  for (size_t i = 0; i < x.size(); ++i)
    if (used[i] && target[i] <= 0)
      share = std::min(share, x[i] / (x[i] - target[i]));
  bool reached = true;
  for (size_t i = 0; i < x.size(); ++i) {
    bool limits = used[i] && target[i] <= 0 && x[i] / (x[i] - target[i]) <= share;
    x[i] = limits ? 0 : x[i] + share * (target[i] - x[i]);
    used[i] = used[i] && !limits;
    reached = reached && !limits;
  }
  return reached;
}

/// Returns the x >= 0 with the least squared error. Starts with no column, and adds the one along
/// which the error falls fastest until none is left along which it falls.
std::vector<double> solveNonNegative(const NormalEquations &equations) {
  constexpr double tolerance = 1e-12; // columns and targets have norms of about one
  size_t n = equations.size();
  std::vector<double> x(n, 0);
  std::vector<bool> used(n, false), excluded(n, false);
  // The error falls with each added column, so no set of columns repeats. Rounding could break
  // this, hence the limit.
  for (size_t round = 0; round < 10 * n; ++round) {
    std::vector<double> descent = equations.getDescent(x);
    size_t best = n;
    for (size_t i = 0; i < n; ++i)
      if (!used[i] && !excluded[i] && descent[i] > (best < n ? descent[best] : tolerance))
        best = i;
    if (best == n)
      break;
    used[best] = true;
    std::vector<double> target = equations.solveUsed(used);
    if (target[best] <= 0) { // it depends on the used columns, up to rounding
      used[best] = false;
      excluded[best] = true;
      continue;
    }
    excluded.assign(n, false);
    while (!stepTowards(target, x, used))
      target = equations.solveUsed(used);
  }
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
  size_t n = rows[0].size();
  std::vector<double> norms(n, 0);
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t i = 0; i < n; ++i)
      norms[i] = std::hypot(norms[i], rows[row][i] / targets[row]);
  NormalEquations equations{Matrix(n, std::vector<double>(n, 0)), std::vector<double>(n, 0)};
  for (size_t row = 0; row < rows.size(); ++row) {
    std::vector<double> scaled(n, 0);
    for (size_t i = 0; i < n; ++i)
      scaled[i] = norms[i] > 0 ? rows[row][i] / targets[row] / norms[i] : 0;
    for (size_t i = 0; i < n; ++i) {
      equations.moments[i] += scaled[i];
      for (size_t j = 0; j < n; ++j)
        equations.gram[i][j] += scaled[i] * scaled[j];
    }
  }
  std::vector<double> x = solveNonNegative(equations);
  for (size_t i = 0; i < n; ++i)
    x[i] = norms[i] > 0 ? x[i] / norms[i] : 0;
  return x;
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
