// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The learning rate of each step, computed by the interpreter and compared with the formulas; and
// every error about its options.
#include "compiler/interpret/function/Run.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/options/Optimizers.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

using namespace mlir;
using namespace pcc;
using namespace pcc::autodiff;

namespace {

/// The rates of the first `count` steps.
std::vector<double> ratesOf(StringRef options, int64_t count) {
  auto spec = parseOptimizer(("sgd," + options).str());
  if (!spec) {
    ADD_FAILURE() << llvm::toString(spec.takeError());
    return {};
  }
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto scalarOf = [](Type element) { return RankedTensorType::get({}, element); };
  Type step = scalarOf(builder.getI64Type()), rate = scalarOf(builder.getF32Type());
  auto function =
      func::FuncOp::create(builder, loc, "rate", builder.getFunctionType({step}, {rate}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  func::ReturnOp::create(
      builder, loc, spec->rate.build(builder, loc, function.getArgument(0), builder.getF32Type()));
  std::vector<double> rates;
  for (int64_t now = 0; now < count; ++now) {
    values::Tensor number(values::ElementType::I64, {});
    number.mutableElements()[0].i = now;
    auto results = interpret::runOnRanks(function, {{number}});
    if (failed(results)) {
      ADD_FAILURE() << "the interpreter failed";
      return {};
    }
    rates.push_back(results->front().front()[0].f);
  }
  return rates;
}

void expectRates(StringRef options, ArrayRef<double> expected) {
  std::vector<double> rates = ratesOf(options, expected.size());
  ASSERT_EQ(rates.size(), expected.size());
  for (auto [step, pair] : llvm::enumerate(llvm::zip_equal(rates, expected)))
    EXPECT_NEAR(std::get<0>(pair), std::get<1>(pair), 1e-6) << options.str() << " step " << step;
}

std::string errorOf(StringRef options) {
  auto parsed = parseOptimizer(("sgd," + options).str());
  return parsed ? "" : llvm::toString(parsed.takeError());
}

TEST(RateSchedule, IsConstantByDefault) {
  expectRates("lr=0.5", {0.5, 0.5, 0.5});
  EXPECT_FALSE(parseOptimizer("sgd,lr=0.5")->takesStep());
  EXPECT_TRUE(parseOptimizer("sgd,lr=0.5,warmup=3")->takesStep());
}

TEST(RateSchedule, FallsInSteps) {
  expectRates("lr=0.8,schedule=step,every=2,factor=0.5", {0.8, 0.8, 0.4, 0.4, 0.2, 0.2, 0.1});
}

TEST(RateSchedule, FallsAlongALine) {
  expectRates("lr=1,schedule=linear,steps=4,least=0.2", {1, 0.8, 0.6, 0.4, 0.2, 0.2});
}

TEST(RateSchedule, FallsAlongACosine) {
  auto at = [](double share) { return 0.1 + 0.4 * (1 + std::cos(std::numbers::pi * share)); };
  expectRates("lr=0.9,schedule=cosine,steps=4,least=0.1",
              {at(0), at(0.25), at(0.5), at(0.75), at(1), at(1)});
}

TEST(RateSchedule, WarmsUp) {
  expectRates("lr=0.8,warmup=4", {0.2, 0.4, 0.6, 0.8, 0.8});
  expectRates("lr=0.8,warmup=2,schedule=linear,steps=4", {0.4, 0.8, 0.8, 0.4, 0});
}

TEST(RateSchedule, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf("lr=1,schedule=square"),
            "unknown schedule 'square'; known: 'constant', 'step', 'cosine', 'linear'");
  EXPECT_EQ(errorOf("schedule=step,every=2,factor=0.5"),
            "optimizer 'sgd' needs a learning rate: add lr=NUMBER");
  EXPECT_EQ(errorOf("lr=1,schedule=step,every=2"), "schedule 'step' needs 'every' and 'factor'");
  EXPECT_EQ(errorOf("lr=1,schedule=cosine"), "a schedule with an end needs it: add steps=NUMBER");
  EXPECT_EQ(errorOf("lr=1,schedule=linear,steps=5,warmup=5"),
            "expected 'steps' above the 5 of 'warmup', got 5");
  EXPECT_EQ(errorOf("lr=1,schedule=linear,steps=5,every=2"),
            "'every' and 'factor' are options of schedule 'step'");
  EXPECT_EQ(errorOf("lr=1,steps=5"),
            "'steps' and 'least' are options of the schedules 'cosine' and 'linear'");
  EXPECT_EQ(errorOf("lr=1,warmup=0"), "option 'warmup': expected a number of steps above 0, got 0");
}

} // namespace
