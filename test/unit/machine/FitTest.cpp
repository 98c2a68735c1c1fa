// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/Fit.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace pcc::machine
