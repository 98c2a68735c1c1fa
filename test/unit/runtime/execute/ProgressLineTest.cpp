// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/monitor/Monitor.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

constexpr ProgressValues half = {.step = 50,
                                 .steps = 100,
                                 .epoch = 2,
                                 .loss = 0.03125,
                                 .samplesPerSecond = 2078.4,
                                 .secondsLeft = 8.4};

TEST(ProgressLine, FitsTheColumns) {
  EXPECT_EQ(progressLineOf(half, 79, false),
            "[==========>          ] 50/100 epoch 2, loss 0.03125, 2078 samples/s, 0:08 left");
  EXPECT_EQ(progressLineOf(half, 60, false),
            "50/100 epoch 2, loss 0.03125, 2078 samples/s, 0:08 left");
  for (int columns = 0; columns < 150; ++columns)
    EXPECT_LE(progressLineOf(half, columns, false).size(), size_t(columns));
  EXPECT_EQ(progressLineOf(half, 150, false).size(), 40U + 1 + 55);
}

TEST(ProgressLine, ShowsWhatIsKnown) {
  EXPECT_EQ(progressLineOf({.step = 1, .steps = 4, .epoch = 1, .loss = 2}, 40, false),
            "[====>             ] 1/4 epoch 1, loss 2");
  EXPECT_EQ(progressLineOf({.step = 4, .steps = 4, .epoch = 1, .hasLoss = false}, 30, false),
            "[================] 4/4 epoch 1");
}

TEST(ProgressLine, ColorsTakeNoColumn) {
  std::string plain = progressLineOf(half, 79, false), colored = progressLineOf(half, 79, true);
  EXPECT_EQ(colored.size(), plain.size() + 5 + 4);
  EXPECT_TRUE(colored.starts_with("\033[32m["));
}

TEST(ProgressLine, Durations) {
  auto left = [](double seconds) {
    std::string line = progressLineOf({.hasLoss = false, .secondsLeft = seconds}, 50, false);
    return line.substr(line.rfind(", ") + 2);
  };
  EXPECT_EQ(left(0), "0:00 left");
  EXPECT_EQ(left(725), "12:05 left");
  EXPECT_EQ(left(3 * 3600 + 4 * 60 + 5), "3:04:05 left");
  EXPECT_EQ(left(1e6), "11 days left");
  EXPECT_EQ(left(1e300), "11574074 days left");
}

} // namespace
} // namespace pcc::test
