// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics of the interpreter for programs that it cannot run.

#include "Evaluate.h"
#include "compiler/interpret/training/Inputs.h"
#include <gtest/gtest.h>

using namespace pcc::interpret;

/// Returns the diagnostics of running function `f` of `text` on `arguments`.
static std::string errorsOfFunction(const std::string &text, const NamedTensors &arguments = {}) {
  TestModule module(text);
  EXPECT_TRUE(mlir::failed(runFunction(*module, "f", arguments)));
  return module.getErrors();
}

/// Returns the diagnostics of running the step of `text` on one batch; all parameters are given.
static std::string errorsOfStep(const std::string &text) {
  TestModule module(text);
  auto parameters = randomParameters(*module, 1);
  EXPECT_TRUE(mlir::succeeded(parameters));
  EXPECT_TRUE(mlir::failed(runTraining(*module, {{}}, *parameters)));
  return module.getErrors();
}

/// Returns the diagnostics of `ranks` ranks along x that each run `op` of %a, a tensor of 1x1x2x2.
static std::string errorsOfOp(int ranks, const std::string &op) {
  return errorsOfFunction(
      "module attributes {dist.mesh = #dist.mesh<x=" + std::to_string(ranks) +
          ">} {\nfunc.func @f(%a: tensor<1x1x2x2xf32>) attributes {dist.local} {\n  " + op +
          "\n  return\n}\n}",
      {{"argument 0", Tensor(ElementType::F32, {1, 1, 2, 2})}});
}

TEST(Diagnostics, Functions) {
  EXPECT_EQ(errorsOfFunction("func.func @g() {\n  return\n}"),
            "expected a function called \"f\"\n");
  EXPECT_EQ(errorsOfFunction("func.func private @f()"), "on rank 0: function \"f\" has no body\n");
  EXPECT_EQ(errorsOfFunction("func.func @f(%a: tensor<f32>) {\n  return\n}"),
            "expected a value for \"argument 0\" of function \"f\"\n");
  EXPECT_EQ(errorsOfFunction("func.func @f(%a: index) {\n  return\n}"),
            "expected tensors of static shape at the boundary of \"f\", got 'index'\n");
  EXPECT_EQ(errorsOfFunction("func.func @f() {\n  %0 = func.constant @f : () -> ()\n  return\n}"),
            "on rank 0: the interpreter does not know op \"func.constant\"\n");
}

TEST(Diagnostics, ValuesThatAreNotInTheFile) {
  EXPECT_EQ(errorsOfFunction("func.func @f() {\n  %0 = graph.constant dense_resource<gone> : "
                             "tensor<2xf32>\n  return\n}"),
            "on rank 0: the constant's values are not in the file: dumps leave resources out, "
            "bytecode keeps them\n");
  TestModule module("graph.parameter @w : tensor<2xf32> init(#graph.init<file>) "
                    "{value = dense_resource<gone> : tensor<2xf32>}");
  EXPECT_TRUE(mlir::failed(initialParameters(*module, 1)));
  EXPECT_EQ(module.getErrors(), "the values of parameter \"w\" are not in the file: dumps leave "
                                "resources out, bytecode keeps them\n");
}

TEST(Diagnostics, Steps) {
  EXPECT_EQ(errorsOfStep("func.func @f() {\n  return\n}"),
            "expected a training step (pipe.step)\n");
  EXPECT_EQ(errorsOfStep("pipe.step @s micro_batches = 1 copies = 1 micro_reduction = sum {\n}"),
            "the step has no actions\n");
  std::string step = "pipe.step @s micro_batches = 1 copies = 1 micro_reduction = sum {\n"
                     "  pipe.action @a\n  pipe.action @b\n}\n";
  EXPECT_EQ(errorsOfStep(step + "func.func @a() attributes {dist.local} {\n  return\n}\n"
                                "func.func @b() {\n  return\n}"),
            "only some sections of the step have local types\n");
  EXPECT_EQ(errorsOfStep(step + "func.func @a() {\n  return\n}\nfunc.func @b(%g: tensor<2xf32> "
                                "{graph.role = #graph.role<gradient \"w\">}) {\n  return\n}"),
            "on rank 0: no action before \"b\" returns \"gradient w\"\n");
}

// A value that two sections use is the same tensor in both.
TEST(Diagnostics, SectionsThatDisagree) {
  for (std::string role : {"parameter", "gradient", "saved"}) {
    std::string argument = "(%w: tensor<2xf32> {graph.role = #graph.role<" + role + " \"w\">";
    EXPECT_EQ(errorsOfStep("module attributes {dist.mesh = #dist.mesh<x=2>} {\n"
                           "graph.parameter @w : tensor<2xf32> init(#graph.init<zeros>)\n"
                           "pipe.step @s micro_batches = 1 copies = 1 micro_reduction = sum {\n"
                           "  pipe.action @a\n  pipe.action @b\n}\nfunc.func @a" +
                           argument + "}) attributes {dist.local} {\n  return\n}\nfunc.func @b" +
                           argument +
                           ", dist.sharding = #dist.sharding<[x]>}) attributes {dist.local} {\n"
                           "  return\n}\n}"),
              "\"" + role + " w\" is 'tensor<2xf32>' [x] here and 'tensor<2xf32>' [_] in \"a\"\n");
  }
}

TEST(Diagnostics, OnlySomeOfManyWaitingRanksAreListed) {
  std::string errors =
      errorsOfOp(10, "%0 = dist.recv from [1, 2, 3, 4, 5, 6, 7, 8, 9, 0] : tensor<1xf32>");
  EXPECT_NE(errors.find("all ranks that have not finished wait\nrank 0 waits in"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("\n2 more ranks wait\n"), std::string::npos) << errors;
}
