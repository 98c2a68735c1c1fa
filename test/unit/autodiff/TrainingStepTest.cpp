// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Microbatches, copies and their reduction, run in the interpreter: the same eight samples as one
// batch, and as two microbatches of two copies of two samples.
#include "compiler/interpret/training/Inputs.h"
#include "compiler/interpret/training/Training.h"
#include "mlir/Parser/Parser.h"
#include "passes/autodiff/TrainingOptions.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using namespace pcc::autodiff;

namespace {

/// A model of one layer; {0} is the number of samples of a microbatch.
constexpr const char *model = R"(
  graph.parameter @w : tensor<3x4xf32> init(#graph.init<normal, 0.0, 1.0>)
  func.func @forward(%x: tensor<{0}x3xf32> {{graph.role = #graph.role<input "x">},
                     %w: tensor<3x4xf32> {{graph.role = #graph.role<parameter "w">})
      -> (tensor<{0}x4xf32> {{graph.role = #graph.role<output "logits">}) {{
    %0 = graph.matmul %x, %w : tensor<{0}x3xf32>, tensor<3x4xf32>
    return %0 : tensor<{0}x4xf32>
  }
)";

class TrainingStep : public testing::Test {
protected:
  TrainingStep() {
    context.loadDialect<func::FuncDialect, graph::GraphDialect, pipe::PipeDialect>();
  }

  /// Trains on the same batches with any options.
  interpret::TrainingResult train(int64_t samples, TrainingOptions options, int64_t steps = 2) {
    std::string text = llvm::formatv(model, samples);
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    options.loss = "softmax_cross_entropy";
    options.optimizer = "momentum,lr=0.125,momentum=0.5";
    PassManager passes(&context);
    addLossPasses(passes, options);
    addGradientPasses(passes, options);
    EXPECT_TRUE(succeeded(passes.run(*module)));
    auto parameters = interpret::initialParameters(*module, /*seed=*/1);
    auto batches = interpret::randomBatches(*module, steps, /*seed=*/1);
    interpret::RunOptions inDoubles;
    inDoubles.precision = values::Precision::Double;
    auto result = interpret::runTraining(*module, batches, *parameters, inDoubles);
    EXPECT_TRUE(succeeded(result));
    return *result;
  }

  /// Expects `actual` = `factor` · `expected`, to the last bits of a double.
  static void expectScaled(const values::Tensor &actual, const values::Tensor &expected,
                           double factor) {
    ASSERT_EQ(actual.size(), expected.size());
    for (int64_t index = 0; index < actual.size(); ++index)
      EXPECT_NEAR(actual[index].f, factor * expected[index].f, 1e-13);
  }

  MLIRContext context;
};

TEST_F(TrainingStep, MeanEqualsTheUndividedBatch) {
  interpret::TrainingResult whole = train(8, {});
  interpret::TrainingResult parts = train(2, {"", "", 2, 2, pipe::MicroReduction::Mean});
  for (size_t step = 0; step < 2; ++step)
    expectScaled(parts.losses[step], whole.losses[step], 1);
  expectScaled(parts.results.at("gradient w"), whole.results.at("gradient w"), 1);
  expectScaled(parts.parameters.at("parameter w"), whole.parameters.at("parameter w"), 1);
  expectScaled(parts.parameters.at("parameter w.velocity"),
               whole.parameters.at("parameter w.velocity"), 1);
}

TEST_F(TrainingStep, SumAddsCopiesToTheGradient) {
  // One step only: the parameters differ from the second step on.
  interpret::TrainingResult whole = train(8, {}, /*steps=*/1);
  TrainingOptions twoCopies{"", "", 1, 2, pipe::MicroReduction::Sum};
  interpret::TrainingResult parts = train(4, twoCopies, /*steps=*/1);
  expectScaled(parts.losses[0], whole.losses[0], 2);
  expectScaled(parts.results.at("gradient w"), whole.results.at("gradient w"), 2);
}

TEST_F(TrainingStep, SumOfMicrobatchesAloneLeavesTheGradientsOfTheBatch) {
  interpret::TrainingResult whole = train(8, {});
  interpret::TrainingResult parts = train(4, {"", "", 2, 1, pipe::MicroReduction::Sum});
  for (size_t step = 0; step < 2; ++step)
    expectScaled(parts.losses[step], whole.losses[step], 2);
  expectScaled(parts.results.at("gradient w"), whole.results.at("gradient w"), 1);
  expectScaled(parts.parameters.at("parameter w"), whole.parameters.at("parameter w"), 1);
}

} // namespace
