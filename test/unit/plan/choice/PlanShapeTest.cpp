// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/PlanShape.h"

#include "dialects/graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace pcc;
using namespace pcc::plan;

namespace {

PlanSpace makePlanSpace() {
  PlanSpace space;
  space.devices = 12;
  space.devicesOfBox = 4;
  space.batch = 24;
  space.layers = 6;
  space.hasTensorParallel = true;
  return space;
}

/// Returns the grids of all shapes that are not searched, as {stages, data, tensor}.
std::set<std::tuple<int, int64_t, int64_t>> listGrids(const PlanSpace &space) {
  std::set<std::tuple<int, int64_t, int64_t>> grids;
  for (const PlanShape &shape : listPlanShapes(space))
    if (!shape.isSearched)
      grids.emplace(shape.stages, shape.getDataParallel(space.devices), shape.tensorParallel);
  return grids;
}

} // namespace

// Tensor parallel groups divide a box, and stages the layers.
TEST(PlanShapes, AreAllGridsOfTheDevices) {
  std::set<std::tuple<int, int64_t, int64_t>> expected;
  for (int stages : {1, 2, 3, 4, 6})
    for (int64_t tensor : {1, 2, 4})
      if (12 % (stages * tensor) == 0)
        expected.emplace(stages, 12 / (stages * tensor), tensor);
  EXPECT_EQ(listGrids(makePlanSpace()), expected);
  PlanSpace space = makePlanSpace();
  space.hasTensorParallel = false;
  for (auto [stages, data, tensor] : listGrids(space))
    EXPECT_EQ(tensor, 1);
}

TEST(PlanShapes, DivideTheBatch) {
  PlanSpace space = makePlanSpace();
  for (const PlanShape &shape : listPlanShapes(space)) {
    EXPECT_EQ(space.batch % shape.microbatches, 0);
    EXPECT_GE(shape.microbatches, shape.stages);
    if (!shape.isSearched) {
      EXPECT_EQ(space.batch / shape.microbatches % shape.getDataParallel(space.devices), 0);
    }
  }
}

// One rank has no optimizer to share; a search shards gradients and parameters by itself.
TEST(PlanShapes, HaveLevelsThatDiffer) {
  std::set<int> alone, data, searched;
  for (const PlanShape &shape : listPlanShapes(makePlanSpace()))
    (shape.isSearched                 ? searched
     : shape.getDataParallel(12) == 1 ? alone
                                      : data)
        .insert(shape.optimizerLevel);
  EXPECT_EQ(alone, std::set<int>{0});
  EXPECT_EQ(data, (std::set<int>{0, 1, 2, 3}));
  EXPECT_EQ(searched, (std::set<int>{0, 1}));
}

// Shapes with stages have each schedule, beside each level of the optimizer.
TEST(PlanShapes, HaveSchedules) {
  PlanShape shape{.stages = 2, .microbatches = 4};
  std::set<std::pair<std::string, int>> schedules;
  size_t count = 0;
  for (const PlanShape &other : listPlanShapes(makePlanSpace()))
    if (other.isSameGrid(shape) && other.optimizerLevel == 2) {
      schedules.emplace(other.schedule, other.virtualStages);
      ++count;
    }
  EXPECT_EQ(schedules.size(), count);
  EXPECT_TRUE(schedules.count({"1f1b", 1}));
  EXPECT_TRUE(schedules.count({"zb-h1", 1}));
  EXPECT_TRUE(schedules.count({"interleaved-1f1b", 3}));
  EXPECT_FALSE(schedules.count({"interleaved-1f1b", 4})) << "six layers make three each";
}

// A search finds the variants of a grid beside each other.
TEST(PlanShapes, ListVariantsOfAGridTogether) {
  std::vector<PlanShape> grids;
  for (const PlanShape &shape : listPlanShapes(makePlanSpace())) {
    if (!grids.empty() && grids.back().isSameGrid(shape))
      continue;
    EXPECT_TRUE(llvm::none_of(grids, [&](const PlanShape &grid) { return grid.isSameGrid(shape); }))
        << shape.describe(12);
    grids.push_back(shape);
  }
}

TEST(PlanShapes, AreDescribed) {
  PlanShape shape{.stages = 2, .microbatches = 4, .tensorParallel = 2, .optimizerLevel = 1};
  EXPECT_EQ(shape.describe(12),
            "2 stages x DP 3 x TP 2, optimizer states cut 3 ways, 4 microbatches, 1f1b");
  PlanShape searched{.isSearched = true};
  EXPECT_EQ(searched.describe(12), "searched shardings");
}

// Twelve ranks divide no dimension of a parameter with powers of two, but four of them do.
TEST(PlanShapes, CutTheOptimizerAsFarAsParametersAllow) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  OwningOpRef<ModuleOp> model = parseSourceString<ModuleOp>(
      "graph.parameter @w : tensor<16x16xf32> init(#graph.init<zeros>)\n"
      "graph.parameter @b : tensor<12xf32> init(#graph.init<zeros>)\n"
      "graph.parameter @s : tensor<30xf32> init(#graph.init<zeros>) {trainable = false}\n",
      &context);
  ASSERT_TRUE(model);
  ParameterCuts cuts(*model);
  EXPECT_EQ(cuts.countWays(8), 8);
  EXPECT_EQ(cuts.countWays(12), 4);
  EXPECT_EQ(cuts.countWays(3), 3) << "the bias alone";
  EXPECT_EQ(cuts.countWays(5), 1);
  EXPECT_DOUBLE_EQ(cuts.getShare(12), (256.0 / 4 + 12.0 / 12) / 268);
  PlanSpace space = makePlanSpace();
  space.cuts = cuts;
  int sharded = 0;
  for (const PlanShape &shape : listPlanShapes(space)) {
    int64_t data = shape.getDataParallel(space.devices);
    if (shape.isSearched || shape.optimizerLevel == 0)
      continue;
    EXPECT_EQ(shape.optimizerWays, cuts.countWays(data)) << shape.describe(space.devices);
    ++sharded;
  }
  EXPECT_GT(sharded, 10);
}
