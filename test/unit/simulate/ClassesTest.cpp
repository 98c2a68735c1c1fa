// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of equivalent ranks. Simulating one rank of each class loses nothing.

#include "runtime/simulate/RankClasses.h"
#include "test/unit/runtime/Pipelines.h"
#include "test/unit/simulate/Sketch.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pcc::test {
namespace {

using simulate::Simulation;
using simulate::Timeline;

/// Returns the ranks of each class.
std::vector<std::vector<int64_t>> classesOf(const abi::Executable &executable,
                                            const abi::Cluster &cluster) {
  auto step = simulate::simulate(executable, cluster);
  EXPECT_TRUE(step) << step.status().describe();
  std::vector<std::vector<int64_t>> classes;
  for (const Timeline &timeline : step->timelines)
    classes.push_back(timeline.ranks);
  return classes;
}

using Ranks = std::vector<std::vector<int64_t>>;

TEST(Classes, DataRanksAreAlikeWhereTheyLieAlike) {
  abi::Executable two = makePipeline({.stages = 2, .dataRanks = 4});
  Ranks stages = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(classesOf(two, exactCluster({4, 2}, {1, 2})), stages);
  EXPECT_EQ(classesOf(two, exactCluster({2, 4}, {1, 2})), stages);
  EXPECT_EQ(classesOf(two, exactCluster({8}, {1})), stages);
}

TEST(Classes, RanksWhosePeersAreOverOtherLinksAreNot) {
  abi::Executable three = makePipeline({.stages = 3, .dataRanks = 2, .layers = 3});
  Ranks each = {{0}, {1}, {2}, {3}, {4}, {5}};
  EXPECT_EQ(classesOf(three, exactCluster({3, 2}, {1, 2})), each);
  Ranks stages = {{0, 1}, {2, 3}, {4, 5}};
  EXPECT_EQ(classesOf(three, exactCluster({6}, {1})), stages);
}

void expectNear(double a, double b) { EXPECT_NEAR(a, b, 1e-12 * std::max(1.0, a)); }

/// Expects that each rank has its class's timeline if all ranks are simulated.
void expectNoDifference(const abi::Executable &executable, const abi::Cluster &cluster) {
  auto reduced = simulate::simulate(executable, cluster);
  auto whole = simulate::simulate(executable, cluster, {.everyRank = true});
  ASSERT_TRUE(reduced && whole);
  EXPECT_EQ(reduced->seconds, whole->seconds);
  for (const Timeline &timeline : reduced->timelines)
    for (int64_t rank : timeline.ranks) {
      const Timeline &own = whole->timelines[rank];
      ASSERT_EQ(own.ranks, std::vector<int64_t>{rank});
      ASSERT_EQ(own.spans.size(), timeline.spans.size());
      for (size_t i = 0; i < own.spans.size(); ++i) {
        EXPECT_EQ(own.spans[i].begin, timeline.spans[i].begin);
        EXPECT_EQ(own.spans[i].end, timeline.spans[i].end);
      }
      expectNear(own.seconds.receive, timeline.seconds.receive);
      expectNear(own.seconds.collective, timeline.seconds.collective);
      expectNear(own.hidden, timeline.hidden);
      EXPECT_EQ(own.memory.peakLive, timeline.memory.peakLive);
      expectNear(own.seconds.sum(), whole->seconds);
    }
}

TEST(Classes, OneRankStandsForItsClassExactly) {
  std::mt19937 random(1);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 60; ++trial) {
    CompileOptions options{
        .stages = draw(1, 4), .dataRanks = draw(1, 6), .microBatches = draw(4, 8)};
    options.layers = options.stages * draw(1, 2);
    options.batch = options.microBatches * options.dataRanks * 2;
    options.shares = options.stages % 2 == 0 && trial % 2 == 0;
    int ranks = options.stages * options.dataRanks, inner = draw(1, 5);
    abi::Cluster cluster = exactCluster({inner, (ranks + inner - 1) / inner}, {3e3, 4e4});
    if (trial % 5 == 0)
      cluster.mutable_device()->mutable_collective_share()->set_value(0.3);
    SCOPED_TRACE(trial);
    expectNoDifference(makePipeline(options), cluster);
  }
}

} // namespace
} // namespace pcc::test
