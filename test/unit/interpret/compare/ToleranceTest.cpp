// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tolerances between results and the reference: large enough for terms that cancel, and no larger.

#include "compiler/interpret/compare/Bounds.h"
#include "compiler/interpret/compare/Verify.h"
#include "test/unit/interpret/Evaluate.h"
#include "test/unit/interpret/Programs.h"
#include <cmath>
#include <gtest/gtest.h>

namespace pcc::interpret {
namespace {

/// A function whose results are all zero in real numbers.
struct ZeroCase {
  const char *name;
  std::string text;
};

/// Returns the text of function @f with these arguments, ops and result.
std::string functionOf(const std::string &arguments, const std::string &ops,
                       const std::string &result, const std::string &type) {
  return "func.func @f(" + arguments + ") -> " + type + " {\n" + ops + "  return " + result +
         " : " + type + "\n}\n";
}

const ZeroCase zeroCases[] = {
    {"the gradient of a softmax of one element",
     functionOf("%x: tensor<4x1xf32>, %g: tensor<4x1xf32>",
                "  %y = graph.softmax %x axis = 1 : tensor<4x1xf32>\n"
                "  %p = graph.mul %y, %g : tensor<4x1xf32>\n"
                "  %s = graph.reduce sum %p, [1] : tensor<4x1xf32>\n"
                "  %r = graph.broadcast %s, [0] : tensor<4xf32> to tensor<4x1xf32>\n"
                "  %d = graph.sub %g, %r : tensor<4x1xf32>\n"
                "  %0 = graph.mul %y, %d : tensor<4x1xf32>\n",
                "%0", "tensor<4x1xf32>")},
    {"the gradient of an attention to one position",
     functionOf("%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x1x4xf32>, %v: tensor<1x2x1x5xf32>, "
                "%g: tensor<1x2x3x5xf32>",
                "  %a:2 = graph.attention %q, %k, %v scale = 0.5 : tensor<1x2x3x4xf32>, "
                "tensor<1x2x1x4xf32>, tensor<1x2x1x5xf32>\n"
                "  %0:3 = graph.attention_gradient %q, %k, %v, %a#0, %a#1, %g scale = 0.5 : "
                "tensor<1x2x3x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x5xf32>, "
                "tensor<1x2x3x5xf32>, tensor<1x2x3xf32>\n",
                "%0#0", "tensor<1x2x3x4xf32>")},
    {"a layer norm of equal elements",
     functionOf("%a: tensor<4xf32>, %s: tensor<7xf32>",
                "  %x = graph.broadcast %a, [0] : tensor<4xf32> to tensor<4x7xf32>\n"
                "  %0 = graph.layer_norm %x, %s axis = 1 epsilon = 0.5 : tensor<4x7xf32>, "
                "tensor<7xf32>\n",
                "%0", "tensor<4x7xf32>")},
    {"the distance of equal elements from their mean",
     functionOf("%a: tensor<4xf32>",
                "  %x = graph.broadcast %a, [0] : tensor<4xf32> to tensor<4x7xf32>\n"
                "  %m = graph.reduce mean %x, [1] : tensor<4x7xf32>\n"
                "  %r = graph.broadcast %m, [0] : tensor<4xf32> to tensor<4x7xf32>\n"
                "  %0 = graph.sub %x, %r : tensor<4x7xf32>\n",
                "%0", "tensor<4x7xf32>")},
    {"a sum of terms of both signs",
     functionOf("%x: tensor<64xf32>",
                "  %n = graph.neg %x : tensor<64xf32>\n"
                "  %c = graph.concat %x, %n axis = 0 : tensor<64xf32>, tensor<64xf32>\n"
                "  %0 = graph.reduce sum %c, [0] : tensor<128xf32>\n",
                "%0", "tensor<f32>")},
    {"a product of rows of both signs",
     functionOf("%x: tensor<3x5xf32>, %y: tensor<5x2xf32>",
                "  %n = graph.neg %x : tensor<3x5xf32>\n"
                "  %l = graph.concat %x, %n axis = 1 : tensor<3x5xf32>, tensor<3x5xf32>\n"
                "  %r = graph.concat %y, %y axis = 0 : tensor<5x2xf32>, tensor<5x2xf32>\n"
                "  %0 = graph.matmul %l, %r : tensor<3x10xf32>, tensor<10x2xf32>\n",
                "%0", "tensor<3x2xf32>")},
    {"the difference of a product and the same one",
     functionOf("%x: tensor<8xf32>, %y: tensor<8xf32>",
                "  %p = graph.mul %x, %y : tensor<8xf32>\n"
                "  %0 = graph.sub %p, %p : tensor<8xf32>\n",
                "%0", "tensor<8xf32>")},
    {"the difference of two ways to one value",
     functionOf("%x: tensor<8xf32>",
                "  %e = graph.exp %x : tensor<8xf32>\n"
                "  %l = graph.log %e : tensor<8xf32>\n"
                "  %0 = graph.sub %x, %l : tensor<8xf32>\n",
                "%0", "tensor<8xf32>")},
};

Reference referenceOf(TestModule &module) {
  auto arguments = randomArguments(module.function("f"), 1);
  return *makeReference(*module, "f", *arguments);
}

double toleranceOf(const Reference &reference) {
  return boundsOf(reference, interpretedFactor).begin()->second.tolerance;
}

// Inputs and terms are below 1. The bound is a few units in the last place of the terms, not of the
// result's magnitude.
TEST(Tolerance, IsThatOfTheTermsWhereTheResultIsZero) {
  for (const ZeroCase &zero : zeroCases) {
    SCOPED_TRACE(zero.name);
    TestModule module(zero.text);
    Reference reference = referenceOf(module);
    for (Element element : reference.doubles.begin()->second.elements())
      EXPECT_LT(std::fabs(element.f), 1e-14);
    double unit = epsilon(ElementType::F32);
    EXPECT_GT(toleranceOf(reference), unit);
    EXPECT_LT(toleranceOf(reference), 256 * unit);
  }
}

// No op rounds: whole numbers, and elements that are moved or selected.
TEST(Tolerance, OfExactOpsIsThatOfTheResultAlone) {
  TestModule module(functionOf("%n: tensor<6xi64>",
                               "  %x = graph.cast %n : tensor<6xi64> to tensor<6xf32>\n"
                               "  %y = graph.add %x, %x : tensor<6xf32>\n"
                               "  %z = graph.max %x, %y : tensor<6xf32>\n"
                               "  %0 = graph.floor %z : tensor<6xf32>\n",
                               "%0", "tensor<6xf32>"));
  Reference reference = referenceOf(module);
  const Tensor &value = reference.doubles.begin()->second;
  double greatest = 0;
  for (Element element : value.elements())
    greatest = std::max(greatest, element.f);
  EXPECT_EQ(toleranceOf(reference), interpretedFactor * epsilon(ElementType::F32) * greatest);
  EXPECT_TRUE(reference.moved.there.begin()->second.identical(value));
}

// The second run perturbs the inputs in the opposite direction of the first run.
TEST(Tolerance, RunsMoveThereAndBack) {
  TestModule module(functionOf("%x: tensor<64xf32>", "  %0 = graph.exp %x : tensor<64xf32>\n", "%0",
                               "tensor<64xf32>"));
  Reference reference = referenceOf(module);
  auto at = [](const NamedTensors &values) { return values.begin()->second; };
  Tensor steady = at(reference.moved.steady), there = at(reference.moved.there),
         back = at(reference.moved.back);
  for (int64_t n = 0; n < steady.size(); ++n) {
    double one = there[n].f - steady[n].f, other = steady[n].f - back[n].f;
    EXPECT_NEAR(one, other, 1e-2 * std::fabs(one));
    EXPECT_NE(one, 0.0);
  }
}

/// Replaces f32 in the text of a program by another element type.
std::string inType(std::string text, const std::string &type) {
  const std::string logSums = "1x2x3xf32"; // log sums of attention: always f32
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos; at += type.size())
    if (text.compare(at + 3 - std::min(at + 3, logSums.size()), logSums.size(), logSums) != 0)
      text.replace(at, 3, type);
  return text;
}

/// Returns a copy whose greatest element is `share` tolerances away from the expected value.
Tensor movedBy(const Bound &bound, double share) {
  Tensor moved = bound.value;
  moved.mutableElements()[0].f += share * bound.tolerance;
  return moved;
}

void expectHeldFromAbove(const Bounds &bounds,
                         llvm::function_ref<Report(const std::string &, const Tensor &)> compare) {
  for (const auto &[name, bound] : bounds) {
    SCOPED_TRACE(name);
    EXPECT_GT(bound.tolerance, 0.0);
    EXPECT_TRUE(compare(name, movedBy(bound, 0.9)).passed());
    Report report = compare(name, movedBy(bound, -1.5));
    ASSERT_EQ(report.count(CaseStatus::Failed), 1);
    for (const Case &one : report.cases)
      EXPECT_EQ(one.status == CaseStatus::Failed, one.name == name) << one.name;
  }
}

/// Returns the result of a training run by the name of its case.
Tensor &findResult(TrainingResult &result, llvm::StringRef name) {
  uint32_t step = 0;
  if (name.consume_front("step ")) {
    name.consumeInteger(10, step);
    return result.losses[step - 1];
  }
  return name.consume_front("updated ") ? result.parameters.at(name.str())
                                        : result.results.at(name.str());
}

// A result of any kind and type fails if it is off by 1.5 times its bound. No other result fails.
TEST(Tolerance, TrainingIsHeldFromAbove) {
  for (const char *type : {"f32", "f16", "bf16"}) {
    SCOPED_TRACE(type);
    TestModule module(inType(trainingProgram({}), type));
    auto reference = makeTrainingReference(*module);
    ASSERT_TRUE(mlir::succeeded(reference)) << module.getErrors();
    Bounds bounds = boundsOf(*reference, interpretedFactor);
    ASSERT_EQ(bounds.size(), 5u); // two losses, the gradient, the parameter, its state
    expectHeldFromAbove(bounds, [&](const std::string &name, const Tensor &value) {
      TrainingResult actual = reference->values;
      findResult(actual, name) = value;
      return compareTraining(*reference, actual, interpretedFactor);
    });
  }
}

// A step fails that leaves a parameter as it was, moves it the other way, or moves it twice as far.
// In half types the tolerance of the value would allow it, because it is one of rounding.
TEST(Tolerance, UpdatesAreComparedAsUpdates) {
  const std::string rate = "0.25", name = "parameter w";
  for (auto [type, slow] : {std::pair("f32", "0.001"), {"f16", "0.001"}, {"bf16", "0.006"}}) {
    SCOPED_TRACE(type);
    std::string text = trainingProgram({});
    text.replace(text.find(rate), rate.size(), slow);
    TestModule module(inType(text, type));
    auto reference = makeTrainingReference(*module);
    ASSERT_TRUE(mlir::succeeded(reference)) << module.getErrors();
    const Tensor before = reference->parameters.at(name);
    const Tensor after = reference->values.parameters.at(name);
    double greatest = 0;
    for (int64_t n = 0; n < after.size(); ++n)
      greatest = std::max(greatest, std::fabs(after[n].f - before[n].f));
    bool isHalf = llvm::StringRef(type) != "f32";
    Bounds bounds = boundsOf(*reference, interpretedFactor);
    EXPECT_EQ(bounds.at("updated " + name).tolerance > greatest, isHalf);
    for (double share : {1.0, 0.0, -1.0, 2.0}) {
      TrainingResult actual = reference->values;
      llvm::MutableArrayRef<Element> moved = actual.parameters.at(name).mutableElements();
      for (int64_t n = 0; n < after.size(); ++n)
        moved[n].f = before[n].f + share * (after[n].f - before[n].f);
      Report report = compareTraining(*reference, actual, interpretedFactor);
      EXPECT_EQ(report.count(CaseStatus::Failed), share == 1 ? 0 : 1) << share;
    }
  }
}

/// A function that multiplies its argument by 1 + `units` · 2⁻²³, its only error.
std::string scaledBy(double units) {
  std::string factor;
  llvm::raw_string_ostream(factor) << llvm::format("%.9f", 1 + units * 0x1p-23);
  return functionOf("%x: tensor<64xf32>",
                    "  %c = graph.constant dense<" + factor +
                        "> : tensor<64xf32>\n  %0 = graph.mul %x, %c : tensor<64xf32>\n",
                    "%0", "tensor<64xf32>");
}

// The factor itself is held from above and from below: errors of 14 units in the last place pass,
// those of 19 units fail.
TEST(Tolerance, AnErrorJustAboveTheFactorFails) {
  ASSERT_EQ(interpretedFactor, 16);
  TestModule right(functionOf("%x: tensor<64xf32>", "  %0 = graph.max %x, %x : tensor<64xf32>\n",
                              "%0", "tensor<64xf32>"));
  for (auto [units, passes] :
       {std::pair(14.0, true), {-14.0, true}, {19.0, false}, {-19.0, false}}) {
    TestModule wrong(scaledBy(units));
    EXPECT_EQ(verifyModules(*right, *wrong).passed(), passes) << units;
  }
}

TEST(Tolerance, OutputsAreHeldFromAbove) {
  for (const char *type : {"f32", "f16", "bf16"})
    for (const ZeroCase &zero : zeroCases) {
      SCOPED_TRACE(std::string(type) + ": " + zero.name);
      TestModule module(inType(zero.text, type));
      Reference reference = referenceOf(module);
      expectHeldFromAbove(boundsOf(reference, interpretedFactor),
                          [&](const std::string &name, const Tensor &value) {
                            NamedTensors actual = reference.values;
                            actual[name] = value;
                            return compareNamed("", reference, actual, interpretedFactor);
                          });
    }
}

} // namespace
} // namespace pcc::interpret
