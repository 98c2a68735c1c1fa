// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares every collective on every kind of group of six ranks with the formula of its definition.

#include "compiler/interpret/rank/Blocks.h"
#include "compiler/values/Compute.h"
#include "dialects/dist/Dist.h"
#include "test/unit/interpret/Evaluate.h"
#include <gtest/gtest.h>
#include <random>

using namespace pcc::interpret;

using Groups = std::vector<std::vector<int64_t>>;
using PerRank = std::vector<llvm::SmallVector<Tensor>>;

namespace {

struct Layout {
  std::string over; ///< text of the group in an op
  Groups groups;
};

/// Layouts of groups on the mesh x=2, y=3.
const std::vector<Layout> layouts = {
    {"", {{0, 1, 2, 3, 4, 5}}},
    {" over <axes [x]>", {{0, 3}, {1, 4}, {2, 5}}},
    {" over <axes [y]>", {{0, 1, 2}, {3, 4, 5}}},
    {" over <axes [y, x]>", {{0, 3, 1, 4, 2, 5}}},
    {" over <ranks [[5, 0], [1, 3], [4, 2]]>", {{5, 0}, {1, 3}, {4, 2}}},
};

/// A tensor of 6x6 small integers for each rank.
PerRank randomTensors() {
  std::mt19937 random(3);
  PerRank tensors(6);
  for (auto &rank : tensors) {
    std::vector<double> values;
    for (int n = 0; n < 36; ++n)
      values.push_back(static_cast<double>(random() % 5) - 2.0);
    rank.push_back(f32({6, 6}, values));
  }
  return tensors;
}

std::string type(const std::vector<int64_t> &shape) {
  return "tensor<" + Tensor(ElementType::F32, shape).typeString() + ">";
}

/// Runs `op` of %a on all ranks. Without a result type the op has no result.
PerRank runAll(const std::string &op, const std::string &resultType, const PerRank &inputs) {
  TestModule module(
      "module attributes {dist.mesh = #dist.mesh<x=2, y=3>} {\nfunc.func @f(%a: " + type({6, 6}) +
      ") -> " + resultType + " {\n  %0 = " + op + "\n  return %0 : " + resultType + "\n}\n}");
  auto results = runOnRanks(module.function("f"), inputs);
  EXPECT_TRUE(mlir::succeeded(results)) << module.getErrors();
  return mlir::succeeded(results) ? *results : PerRank(6, {Tensor(ElementType::F32, {})});
}

/// Calls `check(layout, group, position, rank)` for each rank of each layout.
template <typename Check> void forEachMember(Check check) {
  for (const Layout &layout : layouts)
    for (const auto &group : layout.groups)
      for (size_t position = 0; position < group.size(); ++position)
        check(layout, group, static_cast<int64_t>(position), group[position]);
}

llvm::SmallVector<Tensor> contributions(const PerRank &inputs, const std::vector<int64_t> &group) {
  llvm::SmallVector<Tensor> tensors;
  for (int64_t rank : group)
    tensors.push_back(inputs[rank][0]);
  return tensors;
}

/// Returns rows [block · size, (block + 1) · size), or columns for axis 1.
Tensor block(const Tensor &x, int64_t axis, int64_t block, int64_t size) {
  llvm::SmallVector<int64_t> shape(x.getShape()), offset(2, 0);
  shape[axis] = size;
  offset[axis] = block * size;
  return extractBox(x, offset, shape);
}

} // namespace

TEST(Collectives, AllReduce) {
  PerRank inputs = randomTensors();
  for (auto [name, kind] : {std::pair("sum", pcc::ReduceKind::Sum),
                            {"max", pcc::ReduceKind::Max},
                            {"min", pcc::ReduceKind::Min},
                            {"prod", pcc::ReduceKind::Prod}})
    for (const Layout &layout : layouts) {
      PerRank results = runAll(std::string("dist.all_reduce ") + name + " %a" + layout.over +
                                   " : " + type({6, 6}),
                               type({6, 6}), inputs);
      for (const auto &group : layout.groups)
        for (int64_t rank : group)
          EXPECT_TRUE(results[rank][0].identical(combine(kind, contributions(inputs, group))))
              << name << layout.over << " rank " << rank;
    }
}

TEST(Collectives, AllGatherThenBlockIsTheInput) {
  PerRank inputs = randomTensors();
  forEachMember([&](const Layout &layout, auto &group, int64_t position, int64_t rank) {
    int64_t columns = 6 * static_cast<int64_t>(group.size());
    PerRank results = runAll("dist.all_gather %a axis = 1" + layout.over + " : " + type({6, 6}) +
                                 " to " + type({6, columns}),
                             type({6, columns}), inputs);
    EXPECT_TRUE(block(results[rank][0], 1, position, 6).identical(inputs[rank][0]));
    EXPECT_TRUE(results[rank][0].identical(concatenate(contributions(inputs, group), 1)));
  });
}

TEST(Collectives, ReduceScatter) {
  PerRank inputs = randomTensors();
  forEachMember([&](const Layout &layout, auto &group, int64_t position, int64_t rank) {
    int64_t rows = 6 / static_cast<int64_t>(group.size());
    PerRank results = runAll("dist.reduce_scatter sum %a axis = 0" + layout.over + " : " +
                                 type({6, 6}) + " to " + type({rows, 6}),
                             type({rows, 6}), inputs);
    Tensor sum = combine(pcc::ReduceKind::Sum, contributions(inputs, group));
    EXPECT_TRUE(results[rank][0].identical(block(sum, 0, position, rows)));
  });
}

TEST(Collectives, BroadcastAndReduce) {
  PerRank inputs = randomTensors();
  forEachMember([&](const Layout &layout, auto &group, int64_t position, int64_t rank) {
    std::string rest = " root = 1" + layout.over + " : " + type({6, 6});
    PerRank sent = runAll("dist.broadcast %a" + rest, type({6, 6}), inputs);
    EXPECT_TRUE(sent[rank][0].identical(inputs[group[1]][0]));
    PerRank reduced = runAll("dist.reduce sum %a" + rest, type({6, 6}), inputs);
    Tensor sum = combine(pcc::ReduceKind::Sum, contributions(inputs, group));
    EXPECT_TRUE(reduced[rank][0].identical(position == 1 ? sum : Tensor(ElementType::F32, {6, 6})));
  });
}

TEST(Collectives, AllToAllTwiceIsTheInput) {
  PerRank inputs = randomTensors();
  for (const Layout &layout : layouts) {
    int64_t size = static_cast<int64_t>(layout.groups[0].size());
    std::string narrow = type({6 / size, 6 * size});
    PerRank results = runAll("dist.all_to_all %a split = 0 concat = 1" + layout.over + " : " +
                                 type({6, 6}) + " to " + narrow,
                             narrow, inputs);
    for (const auto &group : layout.groups)
      for (size_t position = 0; position < group.size(); ++position) {
        llvm::SmallVector<Tensor> pieces;
        for (int64_t rank : group)
          pieces.push_back(block(inputs[rank][0], 0, position, 6 / size));
        EXPECT_TRUE(results[group[position]][0].identical(concatenate(pieces, 1)));
      }
  }
}

TEST(Collectives, RankAndGroupSize) {
  PerRank inputs = randomTensors();
  forEachMember([&](const Layout &layout, auto &group, int64_t position, int64_t rank) {
    EXPECT_EQ(runAll("dist.rank" + layout.over, "tensor<i64>", inputs)[rank][0][0].i, position);
    EXPECT_EQ(runAll("dist.group_size" + layout.over, "tensor<i64>", inputs)[rank][0][0].i,
              static_cast<int64_t>(group.size()));
  });
}

TEST(Exchanges, PermuteLeavesZeroWhereNothingComes) {
  PerRank inputs = randomTensors();
  PerRank results =
      runAll("dist.collective_permute %a [[0, 1], [1, 2]] over <axes [y]> : " + type({6, 6}),
             type({6, 6}), inputs);
  Tensor zero(ElementType::F32, {6, 6});
  EXPECT_TRUE(results[0][0].identical(zero));
  EXPECT_TRUE(results[1][0].identical(inputs[0][0]));
  EXPECT_TRUE(results[5][0].identical(inputs[4][0]));
}

TEST(Exchanges, BlockExchangeMovesBoxes) {
  // Over x: position 0 puts the lower half of its own tensor above the upper half of its peer's.
  PerRank inputs = randomTensors();
  PerRank results =
      runAll("dist.block_exchange %a [[0, 0, 3, 0, 3, 6, 0, 0], "
             "[0, 1, 0, 0, 3, 6, 3, 0], [1, 1, 0, 0, 6, 6, 0, 0]] over <axes [x]> : " +
                 type({6, 6}) + " to " + type({6, 6}),
             type({6, 6}), inputs);
  Tensor expected = concatenate({block(inputs[1][0], 0, 1, 3), block(inputs[4][0], 0, 0, 3)}, 0);
  EXPECT_TRUE(results[1][0].identical(expected));
  EXPECT_TRUE(results[4][0].identical(inputs[4][0]));
}

TEST(Exchanges, NeighborExchangeAlongARing) {
  PerRank inputs = randomTensors();
  std::string tensor = type({6, 6});
  PerRank results =
      runAll("dist.neighbor_exchange %a send [[1], [2], [-1]] receive [[-1], [0], [1]]"
             " over <axes [y]> : (" +
                 tensor + ") -> " + tensor,
             tensor, inputs);
  EXPECT_TRUE(results[0][0].identical(Tensor(ElementType::F32, {6, 6})));
  EXPECT_TRUE(results[1][0].identical(inputs[0][0]));
  EXPECT_TRUE(results[5][0].identical(inputs[4][0]));
}

TEST(Exchanges, NeighborExchangeV2SurroundsATile) {
  // Two tiles side by side: the right one gets the left one's last column, the left one gets
  // nothing.
  TestModule module(
      "module attributes {dist.mesh = #dist.mesh<x=2>} {\n"
      "func.func @f(%a: tensor<1x1x2x2xf32>) -> tensor<1x1x2x3xf32> {\n"
      "  %0 = dist.neighbor_exchange_v2 %a\n"
      "    send [[-1, -1, 1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1]]"
      " [0, 0, 0, 1]\n"
      "    receive [[-1, -1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, 0, -1]]"
      " [0, 0, 1, 0] : tensor<1x1x2x2xf32> to tensor<1x1x2x3xf32>\n"
      "  return %0 : tensor<1x1x2x3xf32>\n}\n}");
  Tensor left = f32({1, 1, 2, 2}, {1, 2, 3, 4}), right = f32({1, 1, 2, 2}, {5, 6, 7, 8});
  auto results = runOnRanks(module.function("f"), {{left}, {right}});
  ASSERT_TRUE(mlir::succeeded(results)) << module.getErrors();
  EXPECT_EQ(valuesOf((*results)[0][0]), (std::vector<double>{0, 1, 2, 0, 3, 4}));
  EXPECT_EQ(valuesOf((*results)[1][0]), (std::vector<double>{2, 5, 6, 4, 7, 8}));
}

TEST(Exchanges, SendAndReceive) {
  PerRank inputs = randomTensors();
  TestModule module("module attributes {dist.mesh = #dist.mesh<x=2, y=3>} {\n"
                    "func.func @f(%a: tensor<6x6xf32>) -> tensor<6x6xf32> {\n"
                    "  dist.send %a to [1, 2, 3, 4, 5, -1] {tag = 7 : i64} : tensor<6x6xf32>\n"
                    "  %0 = dist.recv from [-1, 0, 1, 2, 3, 4] {tag = 7 : i64} : tensor<6x6xf32>\n"
                    "  return %0 : tensor<6x6xf32>\n}\n}");
  auto results = runOnRanks(module.function("f"), inputs);
  ASSERT_TRUE(mlir::succeeded(results)) << module.getErrors();
  EXPECT_TRUE((*results)[0][0].identical(Tensor(ElementType::F32, {6, 6})));
  for (int64_t rank = 1; rank < 6; ++rank)
    EXPECT_TRUE((*results)[rank][0].identical(inputs[rank - 1][0]));
}

TEST(Shardings, ToLocalAndBackIsTheIdentity) {
  for (const char *sharding : {"[_, _]", "[x, y]", "[y, x]", "[x.y, _]", "[_, y.x]",
                               "[x, _] partial(sum: y)", "[_, _] partial(max: x, y)"}) {
    TestModule module(std::string("module attributes {dist.mesh = #dist.mesh<x=2, y=3>} {\n"
                                  "func.func @f(%a: tensor<6x6xf32>) -> tensor<6x6xf32> {\n"
                                  "  return %a : tensor<6x6xf32>\n}\n}"));
    pcc::dist::Mesh mesh({{"x", 2}, {"y", 3}});
    auto parsed = pcc::dist::parseSharding(sharding, (*module).getContext());
    ASSERT_TRUE(mlir::succeeded(parsed));
    Tensor whole = randomTensors()[0][0];
    llvm::SmallVector<Tensor> blocks, dealt;
    for (int64_t rank = 0; rank < 6; ++rank) {
      blocks.push_back(cut(whole, *parsed, mesh, rank));
      dealt.push_back(splitRandomly(whole, *parsed, mesh, rank, /*seed=*/5));
    }
    EXPECT_TRUE(join(blocks, *parsed, mesh).identical(whole)) << sharding;
    EXPECT_TRUE(join(dealt, *parsed, mesh).identical(whole)) << sharding;
    EXPECT_FALSE(findDifferentCopies(dealt, *parsed, mesh)) << sharding;
  }
}

TEST(Shardings, ACopyThatDiffersIsFound) {
  pcc::dist::Mesh mesh({{"x", 2}});
  Tensor one = f32({}, {1}), two = f32({}, {2});
  auto pair = findDifferentCopies({one, two}, pcc::dist::Sharding::replicated(0), mesh);
  ASSERT_TRUE(pair);
  EXPECT_EQ(*pair, (std::pair<int64_t, int64_t>(0, 1)));
}
