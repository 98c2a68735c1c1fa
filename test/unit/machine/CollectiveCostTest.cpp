// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs computed by hand, and properties of all costs.
#include "runtime/machine/CollectiveCost.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>

namespace pcc::machine {
namespace {

constexpr abi::CollectiveKind allKinds[] = {
    abi::ALL_REDUCE, abi::ALL_GATHER, abi::REDUCE_SCATTER,     abi::BROADCAST,
    abi::REDUCE,     abi::ALL_TO_ALL, abi::COLLECTIVE_PERMUTE, abi::SEND,
    abi::RECV,       abi::BARRIER,    abi::BLOCK_EXCHANGE};

/// α = 1 ms, g = 0.1 ms, 1/β = 1 MB/s at the inner level; ten times worse at the outer level.
abi::Cluster testCluster(std::vector<int64_t> counts,
                         std::vector<abi::CollectiveAlgorithm> allowed = {}, int perLink = 1) {
  abi::Cluster cluster = *parseForm("1xcpu");
  cluster.mutable_device()->mutable_launch_seconds()->set_value(0.5);
  cluster.clear_level();
  double factor = 1;
  for (int64_t count : counts) {
    abi::TopologyLevel &level = *cluster.add_level();
    level.set_count(count);
    abi::LinkFigures &link = *level.mutable_figures();
    link.mutable_latency_seconds()->set_value(1e-3 * factor);
    link.mutable_gap_seconds()->set_value(1e-4 * factor);
    link.mutable_bytes_per_second()->set_value(1e6 / factor);
    link.set_devices_per_link(perLink);
    for (abi::CollectiveAlgorithm each : allowed)
      link.add_algorithm(each);
    factor *= 10;
  }
  return cluster;
}

/// Returns the cost without the launch.
CollectiveCost priceOn(const abi::Cluster &cluster, std::vector<GroupAxis> axes, Traffic traffic) {
  CollectiveCost price = estimateCollectiveCost(cluster, GroupLayout::over(axes, cluster), traffic);
  price.seconds -= price.seconds ? cluster.device().launch_seconds().value() : 0;
  return price;
}

/// Returns the seconds of the only allowed algorithm on eight ranks of one level.
double alone(abi::CollectiveKind kind, abi::CollectiveAlgorithm algorithm, double bytes) {
  return priceOn(testCluster({8}, {algorithm}), {{8, 1}}, {kind, bytes}).seconds;
}

TEST(CollectiveCost, OneRankCostsNothing) {
  for (abi::CollectiveKind kind : allKinds) {
    CollectiveCost price = priceOn(testCluster({8, 2}), {}, {kind, 1e9, 3});
    EXPECT_EQ(price.seconds, 0) << kind;
    EXPECT_EQ(price.algorithm(), "");
  }
}

TEST(CollectiveCost, ALaunchComesOnTop) {
  abi::Cluster cluster = testCluster({8});
  GroupAxis axis{8, 1};
  EXPECT_GT(estimateCollectiveCost(cluster, GroupLayout::over({&axis, 1}, cluster), {abi::BARRIER})
                .seconds,
            0.5);
}

/// Subtracting the launch leaves a rounding error.
void expectNear(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-9); }

TEST(CollectiveCost, FormulasByHand) {
  // 8 ranks, 8 MB, α = 1 ms, g = 0.1 ms, 1 s per MB.
  expectNear(alone(abi::ALL_REDUCE, abi::RING, 8e6), 14e-3 + 14);
  expectNear(alone(abi::ALL_REDUCE, abi::TREE, 8e6), 2 * 3 * (1e-3 + 8));
  expectNear(alone(abi::ALL_REDUCE, abi::ONE_SHOT, 8), 1e-3 + 6e-4 + 7 * 8e-6);
  expectNear(alone(abi::ALL_REDUCE, abi::ONE_SHOT, 8e6), 2 * (1e-3 + 6e-4 + 7)); // in two
  expectNear(alone(abi::ALL_GATHER, abi::RING, 8e6), 7e-3 + 7);
  expectNear(alone(abi::REDUCE_SCATTER, abi::ONE_SHOT, 8e6), 1e-3 + 6e-4 + 7);
  expectNear(alone(abi::ALL_TO_ALL, abi::RING, 8e6), 1e-3 + 6e-4 + 7); // always direct
  expectNear(alone(abi::BROADCAST, abi::RING, 8e6), 10e-3 + 14);
  expectNear(alone(abi::REDUCE, abi::TREE, 8e6), 3 * (1e-3 + 8));
  expectNear(alone(abi::COLLECTIVE_PERMUTE, abi::RING, 8e6), 1e-3 + 8);
  expectNear(alone(abi::BARRIER, abi::RING, 0), 3e-3);
  CollectiveCost exchange =
      priceOn(testCluster({8}), {{8, 1}}, {abi::BLOCK_EXCHANGE, 5e6, /*messages=*/4});
  expectNear(exchange.seconds, 1e-3 + 3e-4 + 5);
}

TEST(CollectiveCost, TheCheapestIsTakenAndNamed) {
  abi::Cluster cluster = testCluster({8}, {abi::RING, abi::TREE});
  EXPECT_EQ(priceOn(cluster, {{8, 1}}, {abi::ALL_REDUCE, 8}).algorithm(), "tree");
  EXPECT_EQ(priceOn(cluster, {{8, 1}}, {abi::ALL_REDUCE, 8e6}).algorithm(), "ring");
  EXPECT_EQ(priceOn(testCluster({8}), {{8, 1}}, {abi::ALL_REDUCE, 8}).algorithm(), "one_shot");
  EXPECT_EQ(priceOn(testCluster({8}), {{8, 1}}, {abi::ALL_REDUCE, 8e6}).algorithm(), "two_shot");
}

TEST(CollectiveCost, AListWithoutAWayForbidsNothing) {
  EXPECT_GT(alone(abi::ALL_GATHER, abi::TREE, 8e6), 0);
}

// A list that allows trees alone restricts all-reduces, but not all-gathers, on any level.
TEST(CollectiveCost, AListWithoutAWayForbidsNothingByLevel) {
  Traffic traffic{abi::ALL_GATHER, 1e6};
  std::vector<GroupAxis> axes = {{4, 4}, {4, 1}};
  CollectiveCost free = priceOn(testCluster({4, 4}), axes, traffic);
  EXPECT_TRUE(free.isByLevel);
  EXPECT_EQ(priceOn(testCluster({4, 4}, {abi::TREE}), axes, traffic).seconds, free.seconds);
  EXPECT_GT(priceOn(testCluster({4, 4}, {abi::TREE}), axes, {abi::ALL_REDUCE, 1e6}).seconds,
            priceOn(testCluster({4, 4}), axes, {abi::ALL_REDUCE, 1e6}).seconds);
}

TEST(CollectiveCost, MoreBytesAreNeverCheaper) {
  for (int perLink : {1, 4})
    for (abi::CollectiveKind kind : allKinds) {
      double last = 0;
      for (double bytes = 1; bytes < 1e9; bytes *= 3) {
        double seconds =
            priceOn(testCluster({4, 2}, {}, perLink), {{8, 1}}, {kind, bytes, 7}).seconds;
        EXPECT_GE(seconds, last) << kind << " " << bytes;
        last = seconds;
      }
    }
}

TEST(CollectiveCost, TwoLevelsAreCheaperOneByOne) {
  // By hand: scatter and gather 8 MB among four, and a ring of two with the remaining 2 MB.
  abi::Cluster cluster = testCluster({4, 2}, {abi::RING});
  CollectiveCost price = priceOn(cluster, {{8, 1}}, {abi::ALL_REDUCE, 8e6});
  EXPECT_EQ(price.algorithm(), "by level: ring, ring");
  expectNear(price.seconds, 2 * (3e-3 + 6) + 2 * (1e-2 + 10));
  double flat = 2 * (7 * 1e-2 + 70); // every step as slow as the outer link
  EXPECT_LT(price.seconds, flat);
}

TEST(CollectiveCost, AGroupInsideAUnitNeverLeavesIt) {
  abi::Cluster cluster = testCluster({4, 2}, {abi::RING});
  expectNear(priceOn(cluster, {{4, 1}}, {abi::ALL_GATHER, 4e6}).seconds, 3e-3 + 3);
  expectNear(priceOn(cluster, {{2, 4}}, {abi::ALL_GATHER, 4e6}).seconds, 1e-2 + 20);
}

TEST(CollectiveCost, GroupsSideBySideShareALink) {
  // Four devices share one link, which four groups of two use: each group has a quarter of the
  // rate.
  abi::Cluster shared = testCluster({4, 2}, {abi::RING}, 4);
  expectNear(priceOn(shared, {{2, 4}}, {abi::ALL_GATHER, 4e6}).seconds, 1e-2 + 80);
}

TEST(CollectiveCost, TheNumberOfRanksDoesNotMatter) {
  abi::Cluster large = *parseForm("512x8xH100");
  GroupAxis axis{4096, 1};
  CollectiveCost price =
      estimateCollectiveCost(large, GroupLayout::over({&axis, 1}, large), {abi::ALL_REDUCE, 1e9});
  EXPECT_GT(price.seconds, 0);
  EXPECT_EQ(price.algorithms.size(), 2u);
}

} // namespace
} // namespace pcc::machine
