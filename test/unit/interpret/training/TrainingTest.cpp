// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training steps: actions, accumulation, states, ranks.

#include "compiler/interpret/training/Inputs.h"
#include "test/unit/interpret/Evaluate.h"
#include "test/unit/interpret/Programs.h"
#include <gtest/gtest.h>

using namespace pcc::interpret;

static TrainingResult train(const std::string &text, llvm::ArrayRef<NamedTensors> batches,
                            const NamedTensors &parameters) {
  TestModule module(text);
  auto result = runTraining(*module, batches, parameters);
  EXPECT_TRUE(mlir::succeeded(result)) << module.getErrors();
  return mlir::succeeded(result) ? *result : TrainingResult();
}

TEST(Training, TwoStepsByHand) {
  ProgramOptions options;
  options.rows = options.columns = options.outputs = 1;
  NamedTensors parameters = {{"parameter w", f32({1, 1}, {3})},
                             {"parameter w.momentum", f32({1, 1}, {0})}};
  TrainingResult result =
      train(trainingProgram(options),
            {{{"input x", f32({1, 1}, {1})}}, {{"input x", f32({1, 1}, {2})}}}, parameters);
  ASSERT_EQ(result.losses.size(), 2u);
  EXPECT_EQ(result.losses[0][0].f, 9.0);
  // w = 3 - 0.25 · 6 = 1.5 after the first step.
  // The second step has x·w = 3, g = 12, v = 15.
  EXPECT_EQ(result.losses[1][0].f, 9.0);
  EXPECT_EQ(result.results.at("gradient w")[0].f, 12.0);
  EXPECT_EQ(result.parameters.at("parameter w.momentum")[0].f, 15.0);
  EXPECT_EQ(result.parameters.at("parameter w")[0].f, -2.25);
}

TEST(Training, MicrobatchesAndCopiesAddUp) {
  // The scale multiplies the sum over all four actions.
  ProgramOptions options;
  options.rows = options.columns = options.outputs = 1;
  options.microBatches = options.copies = 2;
  options.gradientScale = 0.5;
  NamedTensors parameters = {{"parameter w", f32({1, 1}, {1})},
                             {"parameter w.momentum", f32({1, 1}, {0})}};
  TrainingResult result =
      train(trainingProgram(options), {{{"input x", f32({4, 1}, {1, 2, 3, 4})}}}, parameters);
  EXPECT_EQ(result.losses[0][0].f, 30.0);
  EXPECT_EQ(result.results.at("gradient w")[0].f, 30.0);
}

TEST(Training, RanksEqualOneDevice) {
  ProgramOptions one, many;
  many.ranks = 4;
  TestModule reference(trainingProgram(one));
  auto batches = randomBatches(*reference, /*steps=*/3, /*seed=*/1);
  auto parameters = randomParameters(*reference, /*seed=*/1);
  ASSERT_TRUE(mlir::succeeded(parameters));
  TrainingResult a = train(trainingProgram(one), batches, *parameters);
  TrainingResult b = train(trainingProgram(many), batches, *parameters);
  for (int64_t n = 0; n < 6; ++n)
    EXPECT_NEAR(a.parameters.at("parameter w")[n].f, b.parameters.at("parameter w")[n].f, 1e-5);
  EXPECT_NEAR(a.losses[2][0].f, b.losses[2][0].f, 1e-4);
}

TEST(Training, SlotsChooseTheRowsOfTheGlobalBatch) {
  // Two microbatches on two ranks see the same rows as two microbatches on one.
  ProgramOptions one, many;
  one.microBatches = many.microBatches = 2;
  many.ranks = 2;
  TestModule reference(trainingProgram(one));
  auto batches = randomBatches(*reference, /*steps=*/1, /*seed=*/3);
  EXPECT_EQ(batches[0].at("input x").getShape(), (llvm::ArrayRef<int64_t>{16, 3}));
  auto parameters = randomParameters(*reference, /*seed=*/1);
  ASSERT_TRUE(mlir::succeeded(parameters));
  TrainingResult a = train(trainingProgram(one), batches, *parameters);
  TrainingResult b = train(trainingProgram(many), batches, *parameters);
  EXPECT_NEAR(a.losses[0][0].f, b.losses[0][0].f, 1e-5);
}

TEST(Training, AMissingParameterIsNamed) {
  TestModule module(trainingProgram({}));
  auto batches = randomBatches(*module, 1, 1);
  EXPECT_TRUE(mlir::failed(runTraining(*module, batches, {})));
  EXPECT_EQ(module.getErrors(), "expected a value for \"parameter w\"\n");
}

TEST(Training, ABatchOfAnotherSizeIsNamed) {
  TestModule module(trainingProgram({}));
  auto parameters = randomParameters(*module, 1);
  ASSERT_TRUE(mlir::succeeded(parameters));
  EXPECT_TRUE(mlir::failed(
      runTraining(*module, {{{"input x", Tensor(ElementType::F32, {7, 3})}}}, *parameters)));
  EXPECT_EQ(module.getErrors(), "expected \"input x\" of function \"forward_backward\" to be "
                                "'tensor<8x3xf32>', got 7x3xf32\n");
}

TEST(Inputs, InitialValuesFollowTheInitializer) {
  TestModule module("graph.parameter @a : tensor<2xf32> init(#graph.init<constant, 2.5>)\n"
                    "graph.parameter @b : tensor<100xf32> init(#graph.init<uniform, 1.0, 2.0>)\n"
                    "graph.parameter @c : tensor<2xi64> init(#graph.init<ones>)\n");
  auto values = initialParameters(*module, 1), again = initialParameters(*module, 1);
  ASSERT_TRUE(mlir::succeeded(values) && mlir::succeeded(again));
  EXPECT_EQ(valuesOf(values->at("parameter a")), (std::vector<double>{2.5, 2.5}));
  EXPECT_EQ(valuesOf(values->at("parameter c")), (std::vector<double>{1, 1}));
  for (double value : valuesOf(values->at("parameter b"))) {
    EXPECT_GE(value, 1.0);
    EXPECT_LT(value, 2.0);
  }
  EXPECT_TRUE(values->at("parameter b").identical(again->at("parameter b")));
}

TEST(Inputs, IntegersFitWhatTheyIndex) {
  TestModule module("func.func @f(%i: tensor<50xi64>, %t: tensor<3x2xf32>) -> tensor<50x2xf32> {\n"
                    "  %0 = graph.gather %t, %i axis = 0 : tensor<3x2xf32>, tensor<50xi64>\n"
                    "  return %0 : tensor<50x2xf32>\n}");
  auto values = randomArguments(module.function("f"), 1);
  ASSERT_TRUE(mlir::succeeded(values));
  for (double value : valuesOf(values->at("argument 0"))) {
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 3.0);
  }
}
