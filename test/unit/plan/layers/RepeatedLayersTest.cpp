// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/layers/RepeatedLayers.h"

#include "compiler/plan/layers/LayerCosts.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using namespace pcc::plan;

/// Parses a model of `count` residual layers on 8 samples, each with weights of its own, behind a
/// layer without. The residual layer `odd`, if there is one, has another activation.
static OwningOpRef<ModuleOp> makeModel(MLIRContext &context, int count, int odd = -1) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  std::string parameters, arguments, body = "%v0 = graph.exp %x : tensor<8x64xf32>\n";
  for (int layer = 0; layer < count; ++layer) {
    std::string n = std::to_string(layer);
    parameters += "graph.parameter @w" + n + " : tensor<64x64xf32> init(#graph.init<ones>)\n";
    arguments +=
        ", %w" + n + ": tensor<64x64xf32> {graph.role = #graph.role<parameter \"w" + n + "\">}";
    body += "%m" + n + " = graph.matmul %v" + n + ", %w" + n +
            " : tensor<8x64xf32>, tensor<64x64xf32>\n%a" + n + " = graph." +
            (layer == odd ? "tanh" : "sigmoid") + " %m" + n + " : tensor<8x64xf32>\n%v" +
            std::to_string(layer + 1) + " = graph.add %v" + n + ", %a" + n +
            " : tensor<8x64xf32>\n";
  }
  return parseSourceString<ModuleOp>(
      parameters +
          "func.func @forward(%x: tensor<8x64xf32> {graph.role = #graph.role<input "
          "\"x\">}" +
          arguments + ") -> tensor<8x64xf32> {\n" + body + "return %v" + std::to_string(count) +
          " : tensor<8x64xf32>\n}",
      &context);
}

static func::FuncOp getForward(ModuleOp model) {
  return model.lookupSymbol<func::FuncOp>("forward");
}

TEST(RepeatedLayers, KeepsTheFirstTwoAndTheLast) {
  MLIRContext context;
  OwningOpRef<ModuleOp> model = makeModel(context, 7, /*odd=*/4);
  std::vector<ChainLayer> chain = findLayers(getForward(*model), /*wanted=*/1);
  ASSERT_EQ(chain.size(), 8u);
  RepeatedLayers repeated(chain);
  std::vector<size_t> kept;
  int64_t layers = 0;
  for (size_t layer = 0; layer < chain.size(); ++layer) {
    kept.push_back(repeated.getKept(layer));
    if (kept.back() == layer)
      layers += repeated.getTimes(layer);
  }
  EXPECT_EQ(kept, (std::vector<size_t>{0, 1, 2, 2, 2, 5, 6, 7}));
  EXPECT_EQ(layers, 8);
  IRMapping mapping;
  OwningOpRef<ModuleOp> clone = cast<ModuleOp>(model->getOperation()->clone(mapping));
  repeated.fold(mapping);
  EXPECT_TRUE(succeeded(clone->verify()));
  EXPECT_EQ(std::distance(getForward(*clone).getOps<graph::MatmulOp>().begin(),
                          getForward(*clone).getOps<graph::MatmulOp>().end()),
            5);
}

// The costs of a layer do not depend on the number of layers.
TEST(RepeatedLayers, CostLikeLayersThatAreNotFolded) {
  MLIRContext context;
  LayerCostOptions options;
  options.cluster = *machine::parseForm("1xH100");
  auto estimate = [&](int count) {
    OwningOpRef<ModuleOp> model = makeModel(context, count);
    func::FuncOp forward = getForward(*model);
    return *estimateLayerCosts(*model, forward, findLayers(forward, /*wanted=*/1), options);
  };
  LayerCosts two = estimate(2), three = estimate(3), many = estimate(20);
  auto extrapolate = [&](double LayerCosts::*cost) {
    return two.*cost + 18 * (three.*cost - two.*cost);
  };
  for (double LayerCosts::*cost :
       {&LayerCosts::multiplying, &LayerCosts::launching, &LayerCosts::moving}) {
    EXPECT_GT(many.*cost, 0);
    EXPECT_NEAR(many.*cost, extrapolate(cost), 1e-9 * many.*cost);
  }
  ASSERT_EQ(many.layers.size(), 21u);
  for (size_t layer = 2; layer < 20; ++layer) {
    EXPECT_DOUBLE_EQ(many.layers[layer].time, three.layers[2].time);
    EXPECT_DOUBLE_EQ(many.layers[layer].held, three.layers[2].held);
    EXPECT_DOUBLE_EQ(many.layers[layer].handOver, three.layers[2].handOver);
  }
  EXPECT_DOUBLE_EQ(many.layers.front().time, three.layers.front().time);
  EXPECT_DOUBLE_EQ(many.layers.back().time, three.layers.back().time);
}
