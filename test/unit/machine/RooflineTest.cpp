// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/Roofline.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

abi::DeviceFigures h100() { return parseForm("1xH100")->device(); }

TEST(Roofline, ARateForEachClassAndType) {
  EXPECT_EQ(computeRate(h100(), abi::CONTRACTION, abi::BF16), 989.4e12);
  EXPECT_EQ(computeRate(h100(), abi::CONTRACTION, abi::F32), 67e12);
  EXPECT_EQ(computeRate(h100(), abi::ELEMENTWISE, abi::BF16), 67e12) << "as f32";
}

TEST(Roofline, BoundByArithmeticOrByMemory) {
  double launch = h100().launch_seconds().value();
  double n = 4096; // a square product: 2n^3 flops, 3n^2 elements
  EXPECT_DOUBLE_EQ(computeSeconds(h100(), abi::CONTRACTION, abi::BF16, 2 * n * n * n, 6 * n * n),
                   launch + 2 * n * n * n / 989.4e12);
  EXPECT_DOUBLE_EQ(computeSeconds(h100(), abi::ELEMENTWISE, abi::F32, n * n, 12 * n * n),
                   launch + 12 * n * n / 3.35e12);
  EXPECT_DOUBLE_EQ(moveSeconds(h100(), 3.35e12), launch + 1);
}

} // namespace
} // namespace pcc::machine
