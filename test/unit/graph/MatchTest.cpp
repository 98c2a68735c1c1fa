// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Match.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;

/// Returns the number that findSplat finds for a cast of `constant` to `type`, in a broadcast.
static std::optional<double> findCast(const std::string &constant, const std::string &from,
                                      const std::string &type) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  std::string text = "func.func @f() -> tensor<4x" + type + "> {\n  %0 = graph.constant dense<" +
                     constant + "> : tensor<" + from + ">\n  %1 = graph.cast %0 : tensor<" + from +
                     "> to tensor<" + type + ">\n  %2 = graph.broadcast %1, [] : tensor<" + type +
                     "> to tensor<4x" + type + ">\n  return %2 : tensor<4x" + type + ">\n}\n";
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  return graph::findSplat(function.getBody().front().getTerminator()->getOperand(0));
}

TEST(Match, CastsToFloatsKeepNumbers) {
  EXPECT_EQ(findCast("1.5", "f32", "bf16"), 1.5);
  EXPECT_EQ(findCast("3", "i64", "f32"), 3);
}

TEST(Match, CastsToIntegersChangeNumbers) {
  EXPECT_EQ(findCast("1.7", "f32", "i32"), std::nullopt);
  EXPECT_EQ(findCast("300", "i32", "i8"), std::nullopt);
  EXPECT_EQ(findCast("1.7", "f32", "i1"), std::nullopt);
}
