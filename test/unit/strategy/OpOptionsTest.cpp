// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shardings in which an op can run on a mesh.
#include "passes/strategy/search/SearchProblem.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pcc;
using namespace pcc::strategy;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace {

/// Prints an op's shardings as in `[x, _], [_, _] -> [x, _]`.
std::string print(const OpSharding &way) {
  std::string text;
  for (const Sharding &operand : way.operands)
    text += (text.empty() ? "" : ", ") + operand.str();
  for (const Sharding &result : way.results)
    text += " -> " + result.str();
  return text;
}

/// Prints the shardings that `find` lists for the first op of `function`.
std::vector<std::string> list(const std::string &function,
                              llvm::function_ref<std::vector<OpSharding>(Operation *op)> find) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect, dist::DistDialect>();
  auto module = parseSourceString<ModuleOp>(function, &context);
  std::vector<std::string> texts;
  for (const OpSharding &way :
       find(&(*module->getOps<func::FuncOp>().begin()).getBody().front().front()))
    texts.push_back(print(way));
  return texts;
}

std::vector<std::string> list(const std::string &function, const Mesh &mesh) {
  return list(function, [&](Operation *op) { return listOptions(op, mesh); });
}

const std::string matmul = R"(func.func @f(%a: tensor<8x6xf32>, %b: tensor<6x4xf32>) {
  %0 = graph.matmul %a, %b : tensor<8x6xf32>, tensor<6x4xf32>
  return
})";

TEST(OpOptions, EachAxisSplitsAFactorOrIsCarriedOrDoesNothing) {
  EXPECT_EQ(list(matmul, Mesh({{"x", 2}})),
            (std::vector<std::string>{
                "[_, _], [_, _] -> [_, _]",
                "[x, _], [_, _] -> [x, _]",
                "[_, x], [x, _] -> [_, _] partial(sum: x)",
                "[_, _], [_, x] -> [_, x]",
                "[_, _] partial(sum: x), [_, _] -> [_, _] partial(sum: x)",
                "[_, _], [_, _] partial(sum: x) -> [_, _] partial(sum: x)",
            }));
}

TEST(OpOptions, CountsDivide) {
  // Four parts divide 8 rows and 4 columns, but not the depth of 6.
  for (const std::string &way : list(matmul, Mesh({{"x", 4}})))
    EXPECT_NE(way, "[_, x], [x, _] -> [_, _] partial(sum: x)");
}

TEST(OpOptions, AxesAreAssignedIndependently) {
  // Each of two axes has six choices, but both cannot carry partial sums through different
  // operands.
  EXPECT_EQ(list(matmul, Mesh({{"x", 2}, {"y", 1}, {"z", 2}})).size(), 36u - 2 - 1);
}

TEST(OpOptions, NearOnesDifferOverOneAxis) {
  Mesh mesh({{"x", 2}, {"y", 2}});
  auto near = [&](StringRef current, StringRef axis) {
    return list(matmul, [&](Operation *op) -> std::vector<OpSharding> {
      for (const OpSharding &way : listOptions(op, mesh))
        if (print(way) == current)
          return listOptionsNear(op, mesh, way, axis);
      return {};
    });
  };
  EXPECT_EQ(near("[x, _], [_, y] -> [x, y]", "y"),
            (std::vector<std::string>{
                "[x, _], [_, y] -> [x, y]",
                "[x, _], [_, _] -> [x, _]",
                "[x.y, _], [_, _] -> [x.y, _]",
                "[x, y], [y, _] -> [x, _] partial(sum: y)",
                "[x, _] partial(sum: y), [_, _] -> [x, _] partial(sum: y)",
                "[x, _], [_, _] partial(sum: y) -> [x, _] partial(sum: y)",
            }));
  // A partial sum over the other axis stays partial in the same operand.
  EXPECT_EQ(near("[_, _] partial(sum: x), [_, _] -> [_, _] partial(sum: x)", "y").size(), 5u);
  EXPECT_EQ(near("[x, _], [_, y] -> [x, y]", "z"),
            std::vector<std::string>{"[x, _], [_, y] -> [x, y]"});
}

TEST(OpOptions, ShardingsNearADifferOverOneAxis) {
  Mesh mesh({{"x", 2}, {"y", 2}, {"z", 3}});
  Sharding current({{"x"}, {}});
  auto print = [](const std::vector<Sharding> &shardings) {
    std::string text;
    for (const Sharding &sharding : shardings)
      text += sharding.str();
    return text;
  };
  EXPECT_EQ(print(listShardingsNear({8, 6}, mesh, /*mayBePartial=*/true, current, "y")),
            "[x, _][x.y, _][x, y][x, _] partial(sum: y)");
  EXPECT_EQ(print(listShardingsNear({8, 6}, mesh, /*mayBePartial=*/false, current, "x")),
            "[x, _][_, _][_, x]");
  // Three parts divide 6 columns, but not 4 rows.
  EXPECT_EQ(print(listShardingsNear({8, 6}, mesh, /*mayBePartial=*/false, current, "z")),
            "[x, _][x, z]");
  EXPECT_EQ(print(listShardingsNear({8, 6}, mesh, /*mayBePartial=*/true, current, "w")), "[x, _]");
}

TEST(OpOptions, OperandsThatAreAddedArePartialTogether) {
  std::vector<std::string> ways = list(R"(func.func @f(%a: tensor<8xf32>) {
        %0 = graph.add %a, %a : tensor<8xf32>
        return
      })",
                                       Mesh({{"x", 2}}));
  EXPECT_EQ(ways, (std::vector<std::string>{
                      "[_], [_] -> [_]",
                      "[x], [x] -> [x]",
                      "[_] partial(sum: x), [_] partial(sum: x) -> [_] partial(sum: x)",
                  }));
}

TEST(OpOptions, SplitDimensionsStayContiguous) {
  // A reshape of 2x3 to 6: the second dimension is split only if the first one is split completely.
  std::vector<std::string> ways = list(R"(func.func @f(%a: tensor<2x3xf32>) {
        %0 = graph.reshape %a : tensor<2x3xf32> to tensor<6xf32>
        return
      })",
                                       Mesh({{"x", 2}, {"y", 3}}));
  EXPECT_TRUE(llvm::is_contained(ways, "[x, y] -> [x.y]"));
  EXPECT_FALSE(llvm::is_contained(ways, "[_, y] -> [y]"));
}

TEST(Shardings, AreListedOnce) {
  Mesh mesh({{"x", 2}, {"y", 2}});
  EXPECT_EQ(listShardings({4, 4}, mesh, /*mayBePartial=*/false).size(), 9u);
  EXPECT_EQ(listShardings({4, 4}, mesh, /*mayBePartial=*/true).size(), 16u);
  EXPECT_EQ(listShardings({2, 3}, mesh, /*mayBePartial=*/false).size(), 3u);
}

} // namespace
