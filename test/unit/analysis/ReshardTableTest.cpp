// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares tables of reshards with the plans of every pair of shardings.
#include "passes/analysis/reshard/ReshardTable.h"

#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "runtime/machine/Cluster.h"
#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::analysis;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

/// Compares every `every`-th pair of the shardings that the graph lists.
static void expectAsPlans(const Mesh &mesh, const std::string &form, llvm::ArrayRef<int64_t> shape,
                          unsigned every = 1) {
  pcc::abi::Cluster cluster = *machine::parseCluster(form);
  ReshardTables tables(mesh, cluster);
  ReshardPlanCache planCache(mesh, &cluster);
  const ReshardTable &table = tables.get(shape, 4);
  const ReshardGraph &graph = table.getGraph();
  for (size_t pair = 0; pair < graph.size() * graph.size(); pair += every) {
    unsigned from = pair / graph.size(), to = pair % graph.size();
    double planned = planCache.plan(graph[from], graph[to], shape, 4).cost;
    ASSERT_NEAR(table(from, to), planned, planned * 1e-9)
        << graph[from].str() << " to " << graph[to].str() << " on " << form;
  }
}

TEST(ReshardTable, PricesEveryPairAsItsPlan) {
  expectAsPlans(Mesh({{"x", 2}, {"y", 4}}), "8xH100", {16, 64});
  expectAsPlans(Mesh({{"x", 2}, {"y", 4}}), "2x4xH100", {4096, 4096});
  expectAsPlans(Mesh({{"x", 2}, {"y", 3}}), "6xcpu", {12, 36});
  expectAsPlans(Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), "4x2xcpu", {64, 64}, 29);
}

TEST(ReshardTable, WhatDoesNotDivideIsNotThere) {
  Mesh mesh({{"x", 2}, {"y", 4}});
  // Rows: whole or split over x. Columns: whole, or split over x, y, x.y or y.x. Idle axes may be
  // partial.
  ReshardGraph graph({2, 8}, mesh);
  EXPECT_EQ(graph.find(Sharding::replicated(2)), 0u);
  for (unsigned i = 0; i < graph.size(); ++i)
    EXPECT_EQ(graph[i].verify({2, 8}, mesh), "") << graph[i].str();
}

TEST(ReshardTable, TensorsWithTheSameCutsShareAGraph) {
  Mesh mesh({{"x", 2}, {"y", 4}});
  pcc::abi::Cluster cluster = *machine::parseCluster("8xH100");
  ReshardTables tables(mesh, cluster);
  const ReshardTable &small = tables.get({16, 64}, 4), &large = tables.get({16, 4096}, 4);
  EXPECT_EQ(&small.getGraph(), &large.getGraph());
  EXPECT_NE(&tables.get({3, 64}, 4).getGraph(), &small.getGraph());
  unsigned whole = 0, cut = small.getGraph().find(Sharding({{"y"}, {}}));
  EXPECT_LT(small(cut, whole), large(cut, whole));
  EXPECT_EQ(small(cut, cut), 0);
}

// On a mesh of many axes, a pair has the table of the axes in which its shardings differ. Its cost
// is that of a plan, and the direct way costs no less.
TEST(ReshardTable, FindsCostsOnManyAxes) {
  Mesh mesh({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}});
  pcc::abi::Cluster cluster = *machine::parseCluster("4x8xH100");
  ReshardTables tables(mesh, cluster);
  llvm::SmallVector<int64_t> shape = {256, 512};
  ReshardCostModel cost(cluster, mesh, 4);
  auto expectCost = [&](const Sharding &from, const Sharding &to) {
    std::optional<double> found = tables.find(from, to, shape, 4);
    ASSERT_TRUE(found);
    double planned = planReshard(from, to, shape, mesh, cost, Waypoints::All).cost;
    EXPECT_NEAR(*found, planned, planned * 1e-9) << from.str() << " to " << to.str();
    EXPECT_GE(planDirectReshard(from, to, shape, mesh, cost).cost, planned * (1 - 1e-9));
  };
  expectCost(Sharding({{"a", "b"}, {"c"}}), Sharding({{"a", "b"}, {}}));
  expectCost(Sharding({{"a", "b", "c"}, {"d", "e"}}), Sharding({{"a"}, {"d", "e", "b", "c"}}));
  expectCost(Sharding({{"a"}, {"b"}}, {"c", "d", "e"}), Sharding({{"a"}, {"b"}}));
  EXPECT_EQ(tables.find(Sharding({{"a"}, {}}), Sharding({{"a"}, {}}), shape, 4), 0.0);
  EXPECT_FALSE(tables.find(Sharding({{"a", "b", "c"}, {}}), Sharding({{"c"}, {"b"}}), shape, 4));
}
