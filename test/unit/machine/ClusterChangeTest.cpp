// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/machine/Cluster.h"
#include "runtime/machine/MemoryBudget.h"
#include "runtime/machine/Roofline.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

TEST(ClusterChange, ChangesOneFigure) {
  abi::Cluster cluster = *parseForm("2x8xH100");
  abi::Cluster memory = *changeCluster(cluster, "memory=64GiB");
  EXPECT_EQ(memoryBudget(0, memory), int64_t(64) << 30);
  EXPECT_EQ(linkRate(memory.level(1).figures()), linkRate(cluster.level(1).figures()));
  abi::Cluster links = *changeCluster(cluster, "level1=800Gbps,2us");
  EXPECT_DOUBLE_EQ(linkRate(links.level(1).figures()), 100e9);
  EXPECT_DOUBLE_EQ(links.level(1).figures().latency_seconds().value(), 2e-6);
  EXPECT_EQ(linkRate(links.level(0).figures()), linkRate(cluster.level(0).figures()));
  EXPECT_EQ(memoryBudget(0, links), memoryBudget(0, cluster));
}

// The text with which passes hand a cluster on keeps the change.
TEST(ClusterChange, OutlivesTheText) {
  abi::Cluster cluster = *parseForm("2x8xH100");
  for (const char *change : {"memory=1TB", "level0=100GB/s,1us", "level1=1GB/s,9us"}) {
    abi::Cluster changed = *changeCluster(cluster, change);
    abi::Cluster read = *parseCluster(toText(changed));
    EXPECT_EQ(read.SerializeAsString(), changed.SerializeAsString()) << change;
  }
}

TEST(ClusterChange, RefusesOtherTexts) {
  abi::Cluster cluster = *parseForm("2x8xH100");
  for (auto [change, message] :
       {std::pair("memory=64", "memory: expected a size as in 80GB or 64GiB, got '64'"),
        std::pair("memory=-1GB", "memory: expected a size as in 80GB or 64GiB, got '-1GB'"),
        std::pair("level2=1GB/s,1us",
                  "expected a level from 0 to 1, the innermost first, got 'level2'"),
        std::pair("level=1GB/s,1us",
                  "expected a level from 0 to 1, the innermost first, got 'level'"),
        std::pair("level1=1GB/s", "level1: expected RATE,LATENCY, as in 10Gbps,20us or "
                                  "1.25GB/s,20us, got '1GB/s'"),
        std::pair("devices=3", "expected memory=SIZE or levelN=RATE,LATENCY, got 'devices=3'")}) {
    abi::Expected<abi::Cluster> changed = changeCluster(cluster, change);
    ASSERT_FALSE(bool(changed)) << change;
    EXPECT_EQ(changed.status().message(), message);
  }
  EXPECT_FALSE(isClusterChange("2x8xH100"));
  EXPECT_FALSE(isClusterChange("machines/a=b.textproto"));
}

} // namespace
} // namespace pcc::machine
