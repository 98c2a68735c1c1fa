// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/PlanEstimate.h"

#include "dialects/graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/CollectiveCost.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using namespace pcc::plan;

/// A model of six matmuls in a row, on twelve samples, for four devices.
class Estimates : public testing::Test {
protected:
  Estimates() {
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
    std::string text = "graph.parameter @w : tensor<64x64xf32> init(#graph.init<ones>)\n"
                       "func.func @forward(%v0: tensor<12x64xf32> {graph.role = "
                       "#graph.role<input \"x\">}, %w: tensor<64x64xf32> {graph.role = "
                       "#graph.role<parameter \"w\">}) -> tensor<12x64xf32> {\n";
    for (int layer = 0; layer < 6; ++layer)
      text += "%v" + std::to_string(layer + 1) + " = graph.matmul %v" + std::to_string(layer) +
              ", %w : tensor<12x64xf32>, tensor<64x64xf32> loc(\"layer" + std::to_string(layer) +
              "/matmul\")\n";
    model = parseSourceString<ModuleOp>(text + "return %v6 : tensor<12x64xf32>\n}", &context);
    LayerCostOptions options;
    options.cluster = cluster;
    bounds.emplace(*model, space.devices, std::move(options));
    space.layers = bounds->getLayers();
    estimator.emplace(*model, *bounds, cluster, space, /*memory=*/int64_t(80e9));
  }

  double secondsOf(const PlanShape &shape) { return estimator->estimate(shape).seconds; }

  MLIRContext context;
  const pcc::abi::Cluster cluster = *machine::parseForm("4xH100");
  PlanSpace space{.devices = 4, .devicesOfBox = 4, .batch = 12, .hasTensorParallel = true};
  OwningOpRef<ModuleOp> model;
  std::optional<PipelineBounds> bounds;
  std::optional<PlanEstimator> estimator;
};

// Among the grids of equal numbers, a search finds at least the best one.
TEST_F(Estimates, SearchedShardingsAreNoSlowerThanGrids) {
  int compared = 0;
  for (PlanShape grid : listPlanShapes(space)) {
    if (grid.isSearched || grid.optimizerLevel > 1 || grid.stages == 4)
      continue;
    double seconds = secondsOf(grid);
    grid.tensorParallel = 1;
    grid.isSearched = true;
    EXPECT_LE(secondsOf(grid), seconds) << grid.describe(space.devices);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// One sample cannot be split over four ranks: it costs all-to-alls or all-reduces. Four samples
// can.
TEST_F(Estimates, SamplesThatRanksCannotSplitCost) {
  PlanShape few{.microbatches = 12, .isSearched = true};
  PlanShape many{.microbatches = 3, .isSearched = true};
  double work = bounds->getMicrobatch(12).seconds * 12 / 4;
  double communication = secondsOf(few) - work;
  EXPECT_GT(communication, 2 * (secondsOf(many) - bounds->getMicrobatch(3).seconds * 3 / 4));
}

// Tensor parallel ranks sum what crosses layers, forward and backward. Five values do here.
TEST_F(Estimates, TensorParallelRanksSumActivationsTwice) {
  machine::GroupAxis axis{.size = 4, .stride = 1};
  machine::GroupLayout group = machine::GroupLayout::over({&axis, 1}, cluster);
  for (int64_t microbatches : {1, 3}) {
    double m = double(microbatches), bytes = 5 * 12 * 64 * 4 / m;
    double work = bounds->getMicrobatch(microbatches).seconds * m / 4;
    double seconds = secondsOf({.microbatches = microbatches, .tensorParallel = 4});
    double sum =
        machine::estimateCollectiveCost(cluster, group, {pcc::abi::ALL_REDUCE, bytes}).seconds;
    EXPECT_NEAR(seconds - work, 2 * m * sum, 1e-12);
  }
}

// Sharded gradients are reduced for each microbatch, sharded states once.
TEST_F(Estimates, ShardedGradientsAreReducedForEachMicrobatch) {
  auto reductions = [&](int64_t microbatches) {
    PlanShape states{.microbatches = microbatches, .optimizerLevel = 1}, gradients = states;
    gradients.optimizerLevel = 2;
    return secondsOf(gradients) - secondsOf(states);
  };
  EXPECT_EQ(reductions(1), 0);
  EXPECT_GT(reductions(2), 0);
  EXPECT_NEAR(reductions(3), 2 * reductions(2), 1e-12);
}
