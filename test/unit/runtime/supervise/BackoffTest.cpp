// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/supervise/Backoff.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using runtime::Backoff;

TEST(Backoff, DoublesUpToTheLongest) {
  Backoff backoff(1);
  double expected = 1;
  for (int run = 0; run < 9; ++run, expected *= 2)
    EXPECT_EQ(backoff.next(0), expected);
  for (int run = 0; run < 2000; ++run)
    EXPECT_EQ(backoff.next(0), Backoff::longest);
}

TEST(Backoff, BeginsAgainAfterACheckpoint) {
  Backoff backoff(0.5);
  EXPECT_EQ(backoff.next(10), 0);
  EXPECT_EQ(backoff.next(10), 0.5);
  EXPECT_EQ(backoff.next(10), 1);
  EXPECT_EQ(backoff.next(20), 0);
  EXPECT_EQ(backoff.next(20), 0.5);
}

TEST(Backoff, ZeroNeverWaits) {
  Backoff backoff(0);
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(backoff.next(0), 0);
}

} // namespace
} // namespace pcc::test
