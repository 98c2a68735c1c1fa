// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/cost/StepCost.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Roofline.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc::plan;

/// Two ranks train a matrix: a matmul forward, one backward, its sum over the ranks, the update.
/// The loss is the sum of the matmul's elements.
static const char *const program = R"(
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(
      %x: tensor<512x1024xf32> {graph.role = #graph.role<input "x">},
      %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">}) {
    %0 = graph.matmul %x, %w : tensor<512x1024xf32>, tensor<1024x1024xf32> loc("/fc/matmul")
    %1 = graph.reduce sum %0, [0, 1] : tensor<512x1024xf32>
    %2 = graph.constant dense<1.0> : tensor<512x1024xf32>
    %3 = graph.matmul %x, %2 {transpose_lhs} : tensor<512x1024xf32>, tensor<512x1024xf32>
    %4 = graph.constant dense<0.5> : tensor<1024x1024xf32>
    %5 = graph.mul %3, %4 : tensor<1024x1024xf32>
    return %1, %5 : tensor<f32>, tensor<1024x1024xf32>
  }
  func.func @update(
      %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">},
      %g: tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.all_reduce sum %g over <axes [dp]> : tensor<1024x1024xf32>
    %1 = graph.sub %w, %0 : tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
})";

static pcc::abi::Cluster a100() { return *pcc::machine::parseForm("8xA100"); }

/// One layer of two ranks that split positions: a gather for the matmul, a move that costs nothing,
/// and the sum of the input's gradient after its matmul.
static const char *const layer = R"(
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @forward_backward(
      %x: tensor<512x1024xf32> {graph.role = #graph.role<input "x">},
      %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">}) {
    %0 = dist.all_gather %x axis = 0 over <axes [tp]> : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %1 = graph.transpose %w, [1, 0] : tensor<1024x1024xf32> loc("/fc/transpose")
    %2 = graph.matmul %0, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = graph.reduce sum %2, [0, 1] : tensor<1024x1024xf32>
    %4 = graph.constant dense<1.0> : tensor<1024x1024xf32>
    %5 = graph.add %4, %4 : tensor<1024x1024xf32>
    %6 = graph.matmul %5, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %7 = dist.reduce_scatter sum %6 axis = 0 over <axes [tp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    %8 = graph.matmul %0, %5 {transpose_lhs} : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %3, %8 : tensor<f32>, tensor<1024x1024xf32>
  }
})";

/// Two ranks, each of which updates half of a parameter and gathers the other half.
static const char *const sharded = R"(
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(
      %x: tensor<512x1024xf32> {graph.role = #graph.role<input "x">},
      %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) {
    %0 = graph.matmul %x, %w : tensor<512x1024xf32>, tensor<1024x1024xf32>
    %1 = graph.reduce sum %0, [0, 1] : tensor<512x1024xf32>
    return %1 : tensor<f32>
  }
  func.func @update(
      %w: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w">},
      %g: tensor<512x1024xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = graph.sub %w, %g : tensor<512x1024xf32>
    %1 = dist.all_gather %0 axis = 0 over <axes [dp]> : tensor<512x1024xf32> to tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
})";

/// Elementwise ops of two layers, which are one kernel.
static const char *const pair = R"(
module attributes {dist.mesh = #dist.mesh<tp=1>} {
  func.func @forward(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>) {
    %0 = graph.exp %x : tensor<1024x1024xf32> loc("/h.0/a")
    %1 = graph.neg %0 : tensor<1024x1024xf32> loc("/h.0/b")
    %2 = graph.exp %1 : tensor<1024x1024xf32> loc("/h.1/a")
    return %2 : tensor<1024x1024xf32>
  }
})";

static StepCost price(const CostOptions &options = {}, const pcc::abi::Cluster &cluster = a100(),
                      const char *text = program) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, pcc::graph::GraphDialect, pcc::dist::DistDialect,
                      pcc::pipe::PipeDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  return estimateStepCost(*module, cluster, options);
}

TEST(StepCost, SectionsCountAsOftenAsTheyRun) {
  StepCost step = price();
  ASSERT_EQ(step.sections.size(), 2u);
  EXPECT_EQ(step.sections[0].runs, 2);
  EXPECT_EQ(step.sections[1].runs, 1);
  EXPECT_DOUBLE_EQ(step.sum(), 2 * step.sections[0].sum() + step.sections[1].sum() +
                                   step.reductions - step.hidden);
}

// The forward pass consists of the ops that the loss depends on.
TEST(StepCost, PassesAreToldApart) {
  SectionCost section = price().sections[0];
  EXPECT_GT(section.forward.contraction, 0);
  EXPECT_GT(section.forward.reduction, 0);
  EXPECT_NEAR(section.backward.contraction, section.forward.contraction,
              0.5 * section.forward.contraction);
  EXPECT_EQ(section.backward.reduction, 0);
  EXPECT_EQ(section.recomputed.sum(), 0);
  EXPECT_NEAR(section.flops, 2 * 2.0 * 512 * 1024 * 1024, 0.01 * section.flops);
}

TEST(StepCost, NamedForwardOpsRunAgain) {
  CostOptions options;
  options.recompute = "^/fc/";
  SectionCost section = price(options).sections[0];
  EXPECT_DOUBLE_EQ(section.recomputed.contraction, section.forward.contraction);
  EXPECT_EQ(section.recomputed.reduction, 0);
}

TEST(StepCost, HalfTheBytesInMixedPrecision) {
  CostOptions options;
  options.precision = Precision::f16();
  StepCost wide = price(), mixed = price(options);
  EXPECT_LT(mixed.sections[0].forward.contraction, 0.5 * wide.sections[0].forward.contraction);
  EXPECT_LT(mixed.reductions, wide.reductions);
  EXPECT_GT(mixed.sections[1].forward.movement, 0) << "the copies of parameters";
}

// The only gradient is ready before the last op scales it. A part of its sum is therefore hidden.
TEST(StepCost, ReductionsAreHiddenBehindWhatIsLeft) {
  CostOptions exposed;
  exposed.hidesReductions = false;
  EXPECT_EQ(price(exposed).hidden, 0);
  StepCost step = price();
  EXPECT_GT(step.hidden, 0);
  EXPECT_LT(step.hidden, step.reductions);
}

// Gathers of updated parameters are hidden by the next forward pass, as far as it lasts.
TEST(StepCost, GathersAreHiddenByTheForwardPass) {
  StepCost step = price({}, a100(), sharded);
  double forward = step.sections[0].forward.sum();
  EXPECT_GT(step.gathers, 0);
  EXPECT_GT(step.hidden, 0);
  EXPECT_LE(step.hidden, std::min(step.gathers, forward));
  CostOptions exposed;
  exposed.hidesReductions = false;
  EXPECT_EQ(price(exposed, a100(), sharded).hidden, 0);
}

// Reductions of the sections add up to those of the step, including gradients that no section
// returns.
TEST(StepCost, NoReductionIsLost) {
  StepCost step = price();
  ASSERT_EQ(step.sectionReductions.size(), 1u);
  EXPECT_EQ(step.sectionReductions[0].section, "forward_backward");
  EXPECT_DOUBLE_EQ(step.sectionReductions[0].sum(), step.reductions);
  std::string other = StringRef(program).str();
  other.replace(other.find("gradient \"w\""), 12, "gradient \"v\"");
  step = price({}, a100(), other.c_str());
  ASSERT_EQ(step.sectionReductions.size(), 1u);
  EXPECT_EQ(step.sectionReductions[0].section, "");
  EXPECT_DOUBLE_EQ(step.sectionReductions[0].sum(), step.reductions);
}

/// Returns options in which the elementwise ops of `pair` are kernels of another system, with one
/// number each, and `seconds` for the first.
static CostOptions withGivenKernels(double seconds) {
  CostOptions options;
  options.system.kernelsOf = [=](func::FuncOp function, const pcc::abi::DeviceFigures &) {
    GivenKernels given;
    for (Operation &op : function.getBody().front().without_terminator())
      given.numbers[&op] = int64_t(given.numbers.size()) + 1;
    given.seconds[&function.getBody().front().front()] = seconds;
    return given;
  };
  return options;
}

// Given seconds replace the seconds of an op. The other two ops are kernels of their own.
TEST(StepCost, GivenKernelsReplacePredictedOnes) {
  pcc::abi::DeviceFigures device = a100().device();
  double move = pcc::machine::moveSeconds(device, 2 * 4 * 1024 * 1024);
  EXPECT_LT(price({}, a100(), pair).sections[0].sum(), 2 * move);
  EXPECT_DOUBLE_EQ(price(withGivenKernels(1), a100(), pair).sections[0].sum(), 1 + 2 * move);
}

// Two gradients are read and one is written, in f16, also in a step of one action.
TEST(StepCost, GradientsMayBeAddedByKernelsOfTheirOwn) {
  CostOptions options;
  options.precision = Precision::f16();
  double fused = price(options, a100(), layer).sections[0].backward.movement;
  options.system.addsApart = true;
  double apart = price(options, a100(), layer).sections[0].backward.movement;
  EXPECT_DOUBLE_EQ(apart, pcc::machine::moveSeconds(a100().device(), 3 * 2 * 1024 * 1024));
  EXPECT_LT(fused, apart);
}

TEST(StepCost, SumsAreClearedAndDividedOnce) {
  CostOptions options;
  options.system.sumBytes = 6;
  EXPECT_NEAR(price(options).sum() - price().sum(),
              6 * 1024 * 1024 / pcc::machine::memoryRate(a100().device()), 1e-12);
}

// The expected maximum of eight normal numbers is 1.43 standard deviations above the mean.
TEST(StepCost, ProductsTakeAsLongAsOnTheSlowestDevice) {
  CostOptions options;
  options.system.spread = 0.01;
  Seconds slow = price(options).sections[0].forward, even = price().sections[0].forward;
  EXPECT_NEAR(slow.contraction / even.contraction, 1.0143, 1e-4);
  EXPECT_DOUBLE_EQ(slow.reduction, even.reduction);
}

TEST(StepCost, AnUpdateOfAllParametersLaunchesNothingForOne) {
  CostOptions options;
  options.system.updatesAtOnce = true;
  EXPECT_NEAR(price().sections[1].sum() - price(options).sections[1].sum(),
              a100().device().launch_seconds().value(), 1e-12);
}

// The sum takes as long as the matmul of the weight's gradient, which reads the same gradient.
TEST(StepCost, InputGradientsAreReducedBesideWeightGradients) {
  CostOptions options;
  EXPECT_EQ(price(options, a100(), layer).sections[0].hidden, 0);
  options.system.hidesInputGradients = true;
  SectionCost section = price(options, a100(), layer).sections[0];
  EXPECT_GT(section.hidden, 0);
  EXPECT_LE(section.hidden, section.backward.communication);
}

// The device has 108 units.
TEST(StepCost, CollectivesOfActivationsMayTakeFewerUnits) {
  CostOptions options;
  options.system.hidesInputGradients = true;
  double hidden = price(options, a100(), layer).sections[0].hidden;
  options.system.activationUnits = 12;
  EXPECT_NEAR(price(options, a100(), layer).sections[0].hidden / hidden, 96.0 / 84, 1e-9);
}

TEST(StepCost, WhatAProductReadsMayBeGatheredAgain) {
  CostOptions options;
  options.system.gathersAgain = true;
  SectionCost section = price(options, a100(), layer).sections[0];
  EXPECT_DOUBLE_EQ(section.recomputed.communication, section.forward.communication);
  EXPECT_GT(section.hidden, 0);
  EXPECT_LT(section.hidden, section.recomputed.communication);
}

TEST(StepCost, MemoryIsWhatIsHeldAndWhatIsLive) {
  StepCost step = price();
  EXPECT_EQ(step.heldBytes, 2 * 4 * 1024 * 1024);
  // The ones, which a matmul reads, and that matmul's result.
  EXPECT_EQ(step.sections[0].liveBytes, 4 * (512 * 1024 + 1024 * 1024));
  EXPECT_GE(step.peakBytes, step.heldBytes + step.sections[0].liveBytes);
}
