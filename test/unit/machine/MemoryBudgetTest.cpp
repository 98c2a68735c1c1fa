// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/MemoryBudget.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

constexpr int64_t gigabyte = 1'000'000'000;

TEST(MemoryBudget, WithoutLimitTheDeviceCounts) {
  abi::Cluster cluster = *parseForm("8xH100");
  EXPECT_EQ(memoryBudget(0, cluster), 80 * gigabyte);
  EXPECT_EQ(memoryBudget(abi::ParallelConfig(), cluster), 80 * gigabyte);
}

TEST(MemoryBudget, LimitReplacesTheDevice) {
  abi::Cluster cluster = *parseForm("8xH100");
  EXPECT_EQ(memoryBudget(8 * gigabyte, cluster), 8 * gigabyte);
  abi::ParallelConfig config;
  config.set_memory_limit(8 * gigabyte);
  EXPECT_EQ(memoryBudget(config, cluster), 8 * gigabyte);
}

TEST(MemoryBudget, FileMayDescribeTheDevice) {
  abi::Cluster cluster = *parseForm("2xcpu");
  cluster.mutable_device()->mutable_memory_bytes()->set_value(123);
  EXPECT_EQ(memoryBudget(0, cluster), 123);
}

} // namespace
} // namespace pcc::machine
