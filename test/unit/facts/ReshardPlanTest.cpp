// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans between shardings. That each plan keeps the value is shown by test/oracle/sharding, which
// runs every pair.
#include "passes/facts/ReshardPlan.h"
#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::facts;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

/// The axes of each dimension; as a constructor's argument the braces would also fit a copy.
static Sharding split(llvm::ArrayRef<AxisList> dims) { return Sharding(dims); }

static const Mesh mesh({{"x", 2}, {"y", 4}});

static ReshardPlan plan(const Sharding &from, const Sharding &to,
                        StepPrice price = priceByElements) {
  return planReshard(from, to, {16, 16}, mesh, price);
}

TEST(ReshardPlan, NothingToDo) {
  EXPECT_TRUE(plan(split({{"x"}, {}}), split({{"x"}, {}})).steps.empty());
}

TEST(ReshardPlan, PartialToReplicatedIsAnAllReduce) {
  Mesh line({{"y", 4}});
  ReshardPlan result = planReshard(Sharding::replicated(2).withPartial({"y"}),
                                   Sharding::replicated(2), {16, 16}, line);
  EXPECT_EQ(result.str(), "all_reduce(y)");
  EXPECT_EQ(result.getReceived(), 2 * 256 * 3 / 4);
}

TEST(ReshardPlan, PartialToSplitIsAReduceScatter) {
  Mesh line({{"y", 4}});
  EXPECT_EQ(
      planReshard(Sharding::replicated(2).withPartial({"y"}), split({{"y"}, {}}), {16, 16}, line)
          .str(),
      "reduce_scatter(y: 0)");
}

TEST(ReshardPlan, IdleAxesShareTheWork) {
  // The ranks along x hold copies: each can reduce a part of the whole for the others.
  ReshardPlan result = plan(Sharding::replicated(2).withPartial({"y"}), Sharding::replicated(2));
  EXPECT_EQ(result.getReceived(), 320);
  EXPECT_LT(result.getReceived(), 2 * 256 * 3 / 4);
}

TEST(ReshardPlan, ReplicatedToSplitIsFree) {
  ReshardPlan result = plan(Sharding::replicated(2), split({{"x"}, {"y"}}));
  EXPECT_EQ(result.getReceived(), 0);
  EXPECT_EQ(result.steps.size(), 2u);
}

TEST(ReshardPlan, ReplicatedToPartialKeepsOneCopy) {
  EXPECT_EQ(plan(Sharding::replicated(2), Sharding::replicated(2).withPartial({"x"})).str(),
            "mask(x)");
}

TEST(ReshardPlan, SplitToReplicatedIsAnAllGather) {
  ReshardPlan result = plan(split({{"x", "y"}, {}}), Sharding::replicated(2));
  EXPECT_EQ(result.getReceived(), 256 - 32);
}

TEST(ReshardPlan, MovedAxisNeedsNoGather) {
  ReshardPlan result = plan(split({{"y"}, {}}), split({{}, {"y"}}));
  EXPECT_EQ(result.getReceived(), 64 * 3 / 4);
}

TEST(ReshardPlan, ExchangedOrderOfAxesIsAPermutation) {
  BlockTable table =
      makeBlockTable(split({{"x", "y"}, {}}), split({{"y", "x"}, {}}), {16, 16}, mesh);
  EXPECT_TRUE(table.isPermutation());
  EXPECT_EQ(plan(split({{"x", "y"}, {}}), split({{"y", "x"}, {}})).str(), "block_exchange(x.y)");
}

TEST(ReshardPlan, AxesOfOneRankMeanNothing) {
  Mesh single({{"x", 1}});
  EXPECT_TRUE(
      planReshard(Sharding::replicated(1).withPartial({"x"}), Sharding::replicated(1), {4}, single)
          .steps.empty());
}

TEST(ReshardPlan, PriceDecides) {
  // Where only the number of messages counts, a gather of everything in one step beats none.
  auto byMessages = [](const ReshardStep &step) {
    return static_cast<double>(step.messages) + (step.kind == StepKind::BlockExchange ? 100 : 0);
  };
  ReshardPlan result = plan(split({{"x", "y"}, {}}), split({{"y", "x"}, {}}), byMessages);
  for (const ReshardStep &step : result.steps)
    EXPECT_NE(step.kind, StepKind::BlockExchange);
}

TEST(BlockTable, APartOfTheOwnBlockIsNoPermutation) {
  BlockTable table = makeBlockTable(Sharding::replicated(2), split({{"x"}, {}}), {16, 16}, mesh);
  EXPECT_EQ(table.getReceived(), 0);
  EXPECT_FALSE(table.isPermutation());
}

TEST(BlockTable, OnlyWhatIsLackingIsReceived) {
  BlockTable table = makeBlockTable(split({{"x"}, {}}), split({{}, {"x"}}), {16, 16}, mesh);
  EXPECT_EQ(table.getReceived(), 64);
  EXPECT_EQ(table.getMessages(), 1);
  EXPECT_FALSE(table.isPermutation());
  EXPECT_EQ(table.moves.size(), 4u);
}
