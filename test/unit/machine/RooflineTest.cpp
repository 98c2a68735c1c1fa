// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/Roofline.h"
#include "runtime/machine/BuiltIn.h"
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
  double n = 4096; // a square matmul: 2n^3 flops, 3n^2 elements
  EXPECT_DOUBLE_EQ(computeSeconds(h100(), abi::CONTRACTION, abi::BF16, 2 * n * n * n, 6 * n * n),
                   launch + 2 * n * n * n / 989.4e12);
  EXPECT_DOUBLE_EQ(computeSeconds(h100(), abi::ELEMENTWISE, abi::F32, n * n, 12 * n * n),
                   launch + 12 * n * n / (0.9 * 3.35e12));
  EXPECT_DOUBLE_EQ(moveSeconds(h100(), 0.9 * 3.35e12), launch + 1);
}

// A data sheet's rate is reached only in part; a measured rate is reached in full.
TEST(Roofline, WhatIsReached) {
  abi::Figure share = makeFigure(0.8, abi::PUBLISHED);
  EXPECT_DOUBLE_EQ(reached(makeFigure(10, abi::DATASHEET), share), 8);
  EXPECT_DOUBLE_EQ(reached(makeFigure(10, abi::MEASURED), share), 10);
  EXPECT_DOUBLE_EQ(reached(makeFigure(10, abi::DATASHEET), abi::Figure()), 10);
}

/// A device of four units with tiles of 2x2, and 8 flops a second.
static abi::DeviceFigures fourUnits() {
  abi::DeviceFigures device;
  abi::ComputeRate &rate = *device.add_rate();
  rate.set_compute_class(abi::CONTRACTION);
  rate.set_type(abi::F32);
  *rate.mutable_flops_per_second() = makeFigure(8, abi::MEASURED);
  device.mutable_matmul()->set_units(4);
  abi::Tile &tile = *device.mutable_matmul()->add_tile();
  tile.set_rows(2);
  tile.set_columns(2);
  return device;
}

TEST(Roofline, TilesAtTheEdgeCostAsMuchAsWholeOnes) {
  EXPECT_DOUBLE_EQ(matmulSeconds(fourUnits(), abi::F32, {1, 4, 4, 10}), 2 * 160 / 8.0);
  EXPECT_DOUBLE_EQ(matmulSeconds(fourUnits(), abi::F32, {1, 3, 3, 10}), 2 * 160 / 8.0);
}

TEST(Roofline, TheLastRoundCostsAsMuchAsAFullOne) {
  EXPECT_DOUBLE_EQ(matmulSeconds(fourUnits(), abi::F32, {1, 6, 4, 10}), 2 * 320 / 8.0);
  EXPECT_DOUBLE_EQ(matmulSeconds(fourUnits(), abi::F32, {2, 4, 4, 10}), 2 * 320 / 8.0);
}

TEST(Roofline, TheBestTileIsTaken) {
  abi::DeviceFigures device = fourUnits();
  abi::Tile &tile = *device.mutable_matmul()->add_tile();
  tile.set_rows(1);
  tile.set_columns(4);
  EXPECT_DOUBLE_EQ(matmulSeconds(device, abi::F32, {1, 1, 16, 10}), 2 * 160 / 8.0);
}

TEST(Roofline, SmallSizesLose) {
  abi::DeviceFigures device = fourUnits();
  device.mutable_matmul()->set_units(0);
  *device.mutable_matmul()->mutable_lost_depth() = makeFigure(5, abi::MEASURED);
  *device.mutable_matmul()->mutable_lost_rows() = makeFigure(1, abi::MEASURED);
  EXPECT_DOUBLE_EQ(matmulSeconds(device, abi::F32, {1, 4, 4, 10}), 2 * 160 / 8.0 * 1.75);
}

} // namespace
} // namespace pcc::machine
