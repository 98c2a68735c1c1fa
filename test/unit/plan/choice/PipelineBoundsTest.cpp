// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/PipelineBounds.h"

#include "dialects/graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using namespace pcc::plan;

namespace {

using Counts = std::vector<int>;
using LongCounts = std::vector<int64_t>;

} // namespace

/// A model of six matmuls in a row, on twelve samples.
class Bounds : public testing::Test {
protected:
  Bounds() {
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
    std::string text = "func.func @forward(%v0: tensor<12x64xf32> {graph.role = "
                       "#graph.role<input \"x\">}, %w: tensor<64x64xf32> {graph.role = "
                       "#graph.role<parameter \"w\">}) -> tensor<12x64xf32> {\n";
    for (int layer = 0; layer < 6; ++layer)
      text += "%v" + std::to_string(layer + 1) + " = graph.matmul %v" + std::to_string(layer) +
              ", %w : tensor<12x64xf32>, tensor<64x64xf32>\n";
    model = parseSourceString<ModuleOp>(text + "return %v6 : tensor<12x64xf32>\n}", &context);
    LayerCostOptions options;
    options.cluster = *machine::parseForm("4xH100");
    bounds.emplace(*model, /*devices=*/4, std::move(options));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> model;
  std::optional<PipelineBounds> bounds;
};

TEST_F(Bounds, MicrobatchesDivideTheBatch) {
  EXPECT_EQ(bounds->listMicrobatches(/*copies=*/1, /*stages=*/2, {}),
            (LongCounts{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(bounds->listMicrobatches(1, /*stages=*/1, {}), (LongCounts{1, 2, 3, 4, 6}));
  EXPECT_EQ(bounds->listMicrobatches(1, 2, {.microbatches = 5}), (LongCounts{1, 2, 3, 4}));
  EXPECT_EQ(bounds->listMicrobatches(/*copies=*/2, 2, {}), (LongCounts{1, 2, 3, 6}));
}

TEST_F(Bounds, ChunksDivideTheLayersOfAStage) {
  EXPECT_EQ(bounds->listChunks(/*stages=*/1, {}), (Counts{1, 2, 3}));
  EXPECT_EQ(bounds->listChunks(1, {.chunks = 6}), (Counts{1, 2, 3, 6}));
  EXPECT_EQ(bounds->listChunks(/*stages=*/2, {}), (Counts{1, 2, 3}));
  EXPECT_EQ(bounds->listChunks(2, {.chunks = 1}), (Counts{1}));
  EXPECT_EQ(bounds->listChunks(/*stages=*/4, {}), (Counts{1}));
  EXPECT_EQ(bounds->listChunks(/*stages=*/64, {}), (Counts{1}));
}

// All ranks share all work, but each rank of a stage launches all matmuls of the stage. With whole
// backward passes in one chunk the pipeline must fill, too.
TEST_F(Bounds, AreTheWorkOfTheRanks) {
  PipelineCut one{1, 4}, whole{2, 4}, split{2, 4, 1, order::Placement::Looped, true}, odd{2, 5};
  EXPECT_GT(bounds->boundSeconds(one), 0);
  constexpr double launches = 4 * 6 * 6.6e-6; // four microbatches, six matmuls
  EXPECT_NEAR(bounds->boundSeconds(one) - launches, bounds->boundSeconds(split) - launches / 2,
              1e-12);
  // 2 T / (1 - (3/4)^2) compared with 4 T, where T is the time of a microbatch on two stages.
  EXPECT_DOUBLE_EQ(bounds->boundSeconds(whole), bounds->boundSeconds(split) * 2 / (7.0 / 16) / 4);
  EXPECT_EQ(bounds->boundSeconds(odd), 0);
}
