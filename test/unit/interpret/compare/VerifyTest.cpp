// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of tensors and of modules.

#include "compiler/interpret/compare/Verify.h"
#include "test/unit/interpret/Evaluate.h"
#include "test/unit/interpret/Programs.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace pcc::interpret;

static Report verify(const std::string &a, const std::string &b,
                     const VerifyOptions &options = {}) {
  TestModule first(a), second(b);
  return verifyModules(*first, *second, options);
}

static std::string textOf(const Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return text;
}

/// Returns the text of a function of one tensor of four floats that applies `op` to %x.
static std::string function(const std::string &op, const std::string &name = "f") {
  return "func.func @" + name + "(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = " + op +
         " : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
}

TEST(Compare, NamesTheWorstElement) {
  Case c = compareTensors("y", f32({2, 2}, {1, 2, 3, 4}), f32({2, 2}, {1, 2, 3.5, 4.25}), 0.1);
  EXPECT_EQ(c.status, CaseStatus::Failed);
  EXPECT_EQ(c.reason, "element [1, 0]: expected 3, got 3.5 (error 0.5, tolerance 0.1)");
  EXPECT_EQ(compareTensors("y", f32({1}, {1}), f32({1}, {1.05}), 0.1).status, CaseStatus::Passed);
}

TEST(Compare, SpecialValuesAndTypes) {
  Tensor special = f32({3}, {2, HUGE_VAL, 1}), unknown = f32({3}, {2, NAN, 1});
  EXPECT_EQ(compareTensors("y", special, special, 0.0).status, CaseStatus::Passed);
  EXPECT_EQ(compareTensors("y", special, f32({3}, {2, -HUGE_VAL, 1}), 1e9).status,
            CaseStatus::Failed);
  EXPECT_EQ(compareTensors("y", unknown, unknown, 1e9).reason,
            "element [1] of the reference is not a number, so it says nothing about the other "
            "program");
  EXPECT_EQ(compareTensors("y", unknown, unknown, 0.0, /*mayBeNaN=*/true).status,
            CaseStatus::Passed);
  EXPECT_EQ(compareTensors("y", f32({1}, {1}), f32({1}, {NAN}), 1e9).status, CaseStatus::Failed);
  EXPECT_EQ(compareTensors("y", i64({1}, {1}), f32({1}, {1}), 0.0).reason,
            "expected 1xi64, got 1xf32");
}

TEST(Compare, ToleranceIsThatOfTheTermsNotOfTheSum) {
  // A sum of terms that cancel does not show their magnitude. Perturbed inputs do.
  TestModule module("func.func @f(%x: tensor<64xf32>) -> tensor<f32> {\n"
                    "  %n = graph.neg %x : tensor<64xf32>\n"
                    "  %c = graph.concat %x, %n axis = 0 : tensor<64xf32>, tensor<64xf32>\n"
                    "  %0 = graph.reduce sum %c, [0] : tensor<128xf32>\n"
                    "  return %0 : tensor<f32>\n}");
  EXPECT_TRUE(verifyModules(*module, *module).passed());
  Tensor zero = f32({}, {0}), moved = f32({}, {1e-6});
  EXPECT_EQ(toleranceOf(zero, zero, {&zero, &zero, &zero}, interpretedFactor), 0.0);
  EXPECT_NEAR(toleranceOf(zero, zero, {&zero, &zero, &moved}, interpretedFactor), 1e-6, 1e-12);
  EXPECT_NEAR(toleranceOf(zero, zero, {&zero, &moved, &zero}, 2 * interpretedFactor), 1e-6, 1e-12);
}

// Long sums of narrow types are added in f32. A jump is no greater for them.
TEST(Compare, LongSumsWidenOnlyTheirOwnRoundings) {
  double factor = 64 * interpretedFactor; // sums of 4096
  auto type = [](ElementType element, double x) { return Tensor::floats(element, {1}, {x}); };
  Tensor one = type(ElementType::F32, 1), jumped = type(ElementType::F32, 1.5);
  EXPECT_EQ(toleranceOf(one, one, {&one, &one, &jumped}, factor), 0.5);
  EXPECT_EQ(toleranceOf(one, one, {&one, &jumped, &jumped}, factor), 64 * 0.5);
  EXPECT_EQ(toleranceOf(one, one, {&one, &one, &one}, factor), factor * epsilon(ElementType::F32));
  Tensor narrow = type(ElementType::BF16, 1);
  EXPECT_EQ(toleranceOf(narrow, narrow, {&narrow, &narrow, &narrow}, factor),
            interpretedFactor * epsilon(ElementType::BF16));
}

// If roundings may move a value across a jump of the result, both results are accepted.
TEST(Compare, ToleranceSeesWhereResultsJump) {
  TestModule module("func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {\n"
                    "  %one = graph.constant dense<1.0> : tensor<1xf32>\n"
                    "  %zero = graph.constant dense<0.0> : tensor<1xf32>\n"
                    "  %above = graph.compare gt %x, %one : tensor<1xf32>\n"
                    "  %0 = graph.select %above, %one, %zero : tensor<1xf32>\n"
                    "  return %0 : tensor<1xf32>\n}");
  auto toleranceAt = [&](double x) {
    auto arguments = randomArguments((*module).lookupSymbol<mlir::func::FuncOp>("f"), 1);
    arguments->begin()->second = f32({1}, {x});
    Reference reference = *makeReference(*module, "f", *arguments);
    auto at = [](const NamedTensors &values) { return values.begin()->second; };
    const Moved<NamedTensors> &moved = reference.moved;
    Tensor steady = at(moved.steady), there = at(moved.there), back = at(moved.back);
    return toleranceOf(at(reference.values), at(reference.doubles), {&steady, &there, &back},
                       interpretedFactor);
  };
  for (double side : {-1, 1}) {
    EXPECT_GE(toleranceAt(1 + side * 0x1p-21), 1);
    EXPECT_LT(toleranceAt(1 + side * 0x1p-16), 1e-4);
  }
}

TEST(Compare, JsonHasTheKeysOfTheReport) {
  Report report{{{"f: y", CaseStatus::Failed, "why", 1.0, 0.5}}};
  std::string text;
  llvm::raw_string_ostream(text) << report.toJson();
  EXPECT_NE(text.find("\"failed\":1"), std::string::npos) << text;
  EXPECT_NE(text.find("\"name\":\"f: y\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"reason\":\"why\""), std::string::npos) << text;
}

TEST(Verify, EqualAndDifferentFunctions) {
  EXPECT_TRUE(verify(function("graph.square %x"), function("graph.mul %x, %x")).passed());
  Report report = verify(function("graph.square %x"), function("graph.add %x, %x"));
  EXPECT_EQ(report.count(CaseStatus::Failed), 1);
  EXPECT_EQ(report.cases[0].name, "f: result 0");
}

TEST(Verify, NoStepsAreNoComparison) {
  VerifyOptions options;
  options.steps = 0;
  std::string program = trainingProgram({});
  std::string text = textOf(verify(program, program, options));
  EXPECT_NE(text.find("expected at least 1 training step to compare, got 0"), std::string::npos)
      << text;
}

TEST(Verify, DoublesTellWhatRoundingHides) {
  std::string exact = function("graph.add %x, %x");
  std::string near = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                     "  %c = graph.constant dense<2.0000005> : tensor<4xf32>\n"
                     "  %0 = graph.mul %x, %c : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
  EXPECT_TRUE(verify(exact, near).passed());
  VerifyOptions options;
  options.precision = Precision::Double;
  EXPECT_FALSE(verify(exact, near, options).passed());
}

TEST(Verify, FunctionsOfOneModuleOnlyAreSkipped) {
  Report report =
      verify(function("graph.neg %x"), function("graph.neg %x") + function("graph.abs %x", "g"));
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(textOf(report), "skipped: g: only the second module has this function\n"
                            "verify: 1 passed, 0 failed, 1 skipped\n");
}

TEST(Verify, NothingToCompareFails) {
  EXPECT_FALSE(verify(function("graph.neg %x"), function("graph.neg %x", "g")).passed());
}

TEST(Verify, ArgumentsOfOtherTypesAreNamed) {
  std::string wide = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                     "  return %x : tensor<8xf32>\n}\n";
  EXPECT_EQ(textOf(verify(function("graph.neg %x"), wide)),
            "failed: f: \"argument 0\" is tensor<4xf32> in the first module and tensor<8xf32> in "
            "the second\nverify: 0 passed, 1 failed, 0 skipped\n");
}

TEST(Verify, AnErrorOfTheSecondModuleIsTheReason) {
  std::string callsItself = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                            "  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
                            "  return %0 : tensor<4xf32>\n}\n";
  EXPECT_EQ(textOf(verify(function("graph.neg %x"), callsItself)),
            "failed: f: the second module: on rank 0: calls nest deeper than 64\n"
            "verify: 0 passed, 1 failed, 0 skipped\n");
}

TEST(Verify, RanksAgainstOneDevice) {
  for (int64_t ranks : {2, 4, 8}) {
    ProgramOptions one, many;
    many.ranks = ranks;
    Report report = verify(trainingProgram(one), trainingProgram(many));
    EXPECT_TRUE(report.passed()) << textOf(report);
    // Counts two results of each function; two losses, the gradient, parameter and state of the
    // step.
    EXPECT_EQ(report.count(CaseStatus::Passed), 9) << textOf(report);
    EXPECT_TRUE(verify(trainingProgram(many), trainingProgram(one)).passed());
  }
}

TEST(Verify, AMissingReductionIsFound) {
  ProgramOptions one, many;
  many.ranks = 2;
  many.reduceGradients = false;
  Report report = verify(trainingProgram(one), trainingProgram(many));
  EXPECT_EQ(report.count(CaseStatus::Failed), 2) << textOf(report);
  EXPECT_NE(textOf(report).find("ranks 0 and 1 should hold the same of \"parameter w\" and do not"),
            std::string::npos)
      << textOf(report);
}

TEST(Verify, FactorsOfTheOtherModuleAreApplied) {
  ProgramOptions one, many;
  many.ranks = 2;
  many.gradientAttributes = ", dist.gradient_factor = 2.0 : f64";
  Report report = verify(trainingProgram(one), trainingProgram(many));
  EXPECT_TRUE(report.passed()) << textOf(report);
  // A partition that has folded the factor in has no attribute any more; the caller names the
  // factor.
  ProgramOptions scaled = many;
  scaled.gradientAttributes = "";
  scaled.gradientScale = 2.0;
  EXPECT_FALSE(verify(trainingProgram(one), trainingProgram(scaled)).passed());
}

TEST(Verify, MicrobatchesOfASumEqualTheWholeBatch) {
  ProgramOptions whole, parts;
  parts.rows = 4;
  parts.microBatches = 2;
  TestModule a(trainingProgram(whole)), b(trainingProgram(parts));
  auto reference = makeTrainingReference(*a);
  ASSERT_TRUE(mlir::succeeded(reference));
  auto actual = runTraining(*b, reference->batches, reference->parameters);
  ASSERT_TRUE(mlir::succeeded(actual)) << b.getErrors();
  Report report = compareTraining(*reference, *actual, interpretedFactor);
  EXPECT_TRUE(report.passed()) << textOf(report);
}
