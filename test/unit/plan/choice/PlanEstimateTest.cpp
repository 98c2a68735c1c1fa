// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/PlanEstimate.h"

#include "dialects/graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/CollectiveCost.h"
#include "runtime/machine/Roofline.h"
#include "runtime/machine/UniformLink.h"
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
  /// Returns the seconds of all microbatches whose matmuls `divisor` ranks divide.
  double workOf(int64_t microbatches, double divisor) {
    const MicrobatchCost &cost = bounds->getMicrobatch(microbatches);
    return double(microbatches) * ((cost.seconds - cost.launching) / divisor + cost.launching);
  }

  /// Returns the seconds to add the gradients of all microbatches to their sums, if there are any:
  /// each reads a gradient and its sum, and writes the sum.
  double additionsOf(int64_t microbatches, double tensor) {
    double bytes = microbatches > 1 ? 3 * double(microbatches) * 64 * 64 * 4 / tensor : 0;
    return bytes / machine::memoryRate(cluster.device());
  }

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
  double communication = secondsOf(few) - workOf(few.microbatches, /*divisor=*/4);
  EXPECT_GT(communication, 2 * (secondsOf(many) - 3 * bounds->getMicrobatch(12).seconds));
}

// Tensor parallel ranks sum what crosses layers, forward and backward. Five values do here.
TEST_F(Estimates, TensorParallelRanksSumActivationsTwice) {
  machine::GroupAxis axis{.size = 4, .stride = 1};
  machine::GroupLayout group = machine::GroupLayout::over({&axis, 1}, cluster);
  for (int64_t microbatches : {1, 3}) {
    double m = double(microbatches), bytes = 5 * 12 * 64 * 4 / m;
    double seconds = secondsOf({.microbatches = microbatches, .tensorParallel = 4});
    double sum =
        machine::estimateCollectiveCost(cluster, group, {pcc::abi::ALL_REDUCE, bytes}).seconds;
    seconds -= workOf(microbatches, /*divisor=*/4) + additionsOf(microbatches, /*tensor=*/4);
    EXPECT_NEAR(seconds, 2 * m * sum, 1e-12);
  }
}

// Data parallel ranks take as long as one device for their samples: parameters are read and kernels
// are launched on each of them.
TEST_F(Estimates, DataParallelRanksDivideSamplesAlone) {
  double reduction = secondsOf({.microbatches = 1}) - bounds->getMicrobatch(4).seconds;
  for (int64_t microbatches : {1, 3}) {
    double seconds = secondsOf({.microbatches = microbatches});
    EXPECT_NEAR(seconds - reduction - additionsOf(microbatches, /*tensor=*/1),
                double(microbatches) * bounds->getMicrobatch(4 * microbatches).seconds, 1e-12);
  }
  EXPECT_GT(bounds->getMicrobatch(12).seconds, bounds->getMicrobatch(1).seconds / 12);
}

// The idle time of two stages is one microbatch under 1F1B, and 1/v of it with v virtual stages.
TEST_F(Estimates, SchedulesIdleAsTheirOrdersDo) {
  auto idleOf = [&](std::string schedule, int virtualStages) {
    PlanShape shape{.stages = 2, .microbatches = 4, .tensorParallel = 2};
    shape.schedule = std::move(schedule);
    shape.virtualStages = virtualStages;
    return estimator->estimate(shape).seconds;
  };
  double plain = idleOf("1f1b", 1), interleaved = idleOf("interleaved-1f1b", 2);
  EXPECT_LT(interleaved, plain);
  double perMicrobatch = 2 * (plain - interleaved); // 1 against 1/2 of a microbatch
  EXPECT_NEAR(idleOf("interleaved-1f1b", 3), plain - perMicrobatch * 2 / 3, 1e-12);
  EXPECT_LT(idleOf("zb-v", 2), interleaved);
}

// Gradients are reduced for each microbatch if they are sharded, and hidden as far as a backward
// pass takes that long. Ranks add the part of them that they keep.
TEST_F(Estimates, ReductionsOfShardedGradientsHideUnderBackwardPasses) {
  pcc::abi::Cluster slow = cluster;
  machine::setLinks(slow, *machine::parseLink("1Gbps,20us"));
  PlanEstimator overNetwork(*model, *bounds, slow, space, /*memory=*/int64_t(80e9));
  machine::GroupAxis axis{.size = 4, .stride = 1};
  machine::GroupLayout group = machine::GroupLayout::over({&axis, 1}, slow);
  auto collect = [&](pcc::abi::CollectiveKind kind) {
    return machine::estimateCollectiveCost(slow, group, {kind, 64 * 64 * 4}).seconds;
  };
  double reduction = collect(pcc::abi::REDUCE_SCATTER), gather = collect(pcc::abi::ALL_GATHER);
  for (int64_t microbatches : {1, 3}) {
    double m = double(microbatches), work = bounds->getMicrobatch(4 * microbatches).seconds;
    auto waitsOf = [&](int level) {
      PlanShape shape{.microbatches = microbatches, .optimizerLevel = level};
      double additions = additionsOf(microbatches, /*tensor=*/level >= 2 ? 4 : 1);
      return overNetwork.estimate(shape).seconds - m * work - additions;
    };
    double exposed = std::max(reduction - work * 2 / 3, 0.0);
    EXPECT_NEAR(waitsOf(1), exposed + gather, 1e-12);
    EXPECT_NEAR(waitsOf(2), m * exposed + gather, 1e-12);
    EXPECT_GT(waitsOf(3), m * exposed);
  }
  EXPECT_GT(reduction, bounds->getMicrobatch(12).seconds * 2 / 3);
}

// A plan that does not fit takes longer, the more it recomputes; one that does not fit even then is
// tried after all others.
TEST(FitEstimate, RecomputesAsMuchAsTheMemoryDemands) {
  PlanEstimate estimate{.seconds = 3, .bytes = 100, .minBytes = 40};
  EXPECT_EQ(fitEstimate(estimate, 100), (FittedEstimate{0, 3, 100}));
  EXPECT_EQ(fitEstimate(estimate, 70), (FittedEstimate{0, 3.5, 70}));
  EXPECT_EQ(fitEstimate(estimate, 40), (FittedEstimate{0, 4, 40}));
  EXPECT_EQ(fitEstimate(estimate, 30), (FittedEstimate{10, 4, 40}));
  EXPECT_EQ(fitEstimate(estimate, 80, /*secondsFactor=*/2, /*bytesFactor=*/2),
            (FittedEstimate{0, 8, 80}));
  EXPECT_LT(fitEstimate(estimate, 40),
            fitEstimate({.seconds = 1, .bytes = 100, .minBytes = 50}, 40));
}
