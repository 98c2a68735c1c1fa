// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans between shardings. test/oracle/sharding runs every pair and shows that each plan keeps the
// value.
#include "passes/analysis/reshard/ReducedMesh.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "runtime/machine/Cluster.h"
#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::analysis;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

/// Names the axes of each dimension; as a constructor's argument the braces would also fit a copy.
static Sharding split(llvm::ArrayRef<AxisList> dims) { return Sharding(dims); }

static const Mesh mesh({{"x", 2}, {"y", 4}});

static ReshardPlan plan(const Sharding &from, const Sharding &to,
                        ReshardStepCost price = costByElements) {
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
  // The ranks along x hold copies: each can reduce one part of the tensor for all.
  ReshardPlan result = plan(Sharding::replicated(2).withPartial({"y"}), Sharding::replicated(2));
  EXPECT_EQ(result.getReceived(), 320);
  EXPECT_LT(result.getReceived(), 2 * 256 * 3 / 4);
}

TEST(ReshardPlan, ReplicatedToSplitIsFree) {
  ReshardPlan result = plan(Sharding::replicated(2), split({{"x"}, {"y"}}));
  EXPECT_EQ(result.getReceived(), 0);
  EXPECT_EQ(result.steps.size(), 2u);
}

TEST(ReshardPlan, KnowsWhatARankHasItself) {
  Sharding rows = split({{"x"}, {}}), whole = Sharding::replicated(2);
  EXPECT_TRUE(isLocal(whole, rows));
  EXPECT_TRUE(isLocal(rows, split({{"x", "y"}, {}})));
  EXPECT_TRUE(isLocal(rows, rows.withPartial({"y"})));
  EXPECT_FALSE(isLocal(rows, rows));
  EXPECT_FALSE(isLocal(rows, whole));
  EXPECT_FALSE(isLocal(rows, split({{"y", "x"}, {}})));
  EXPECT_FALSE(isLocal(rows.withPartial({"y"}), rows));
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
  EXPECT_EQ(plan(split({{"x", "y"}, {}}), split({{"y", "x"}, {}})).str(),
            "collective_permute(x.y)");
}

TEST(ReshardPlan, SeveralAxesMoveAtOnce) {
  EXPECT_EQ(plan(split({{"x", "y"}, {}}), split({{}, {"x", "y"}})).str(),
            "all_to_all(x.y: 0 -> 1)");
  EXPECT_EQ(plan(Sharding::replicated(2).withPartial({"x", "y"}), split({{"y", "x"}, {}})).str(),
            "reduce_scatter(y.x: 0)");
}

TEST(ReshardPlan, AxesOfOneRankMeanNothing) {
  Mesh single({{"x", 1}});
  EXPECT_TRUE(
      planReshard(Sharding::replicated(1).withPartial({"x"}), Sharding::replicated(1), {4}, single)
          .steps.empty());
}

TEST(ReshardPlan, PriceDecides) {
  // If only the number of messages counts, gathering everything in one step beats no gather.
  auto byMessages = [](const ReshardStep &step) {
    return static_cast<double>(step.messages) + (step.isExchange() ? 100 : 0);
  };
  ReshardPlan result = plan(split({{"x", "y"}, {}}), split({{"y", "x"}, {}}), byMessages);
  for (const ReshardStep &step : result.steps)
    EXPECT_FALSE(step.isExchange());
}

// A rank receives from every other rank of its group.
TEST(ReshardPlan, StepsOfAGroupReceiveFromAllOthers) {
  Mesh line({{"y", 4}});
  Sharding whole = Sharding::replicated(2), rows = split({{"y"}, {}}), columns = split({{}, {"y"}});
  for (auto [from, to] : {std::pair(whole.withPartial({"y"}), whole),
                          {whole.withPartial({"y"}), rows},
                          {rows, whole},
                          {rows, columns}}) {
    ReshardPlan result = planReshard(from, to, {16, 16}, line);
    ASSERT_EQ(result.steps.size(), 1u);
    EXPECT_EQ(result.steps[0].messages, 3) << result.str();
  }
}

TEST(ReshardPlan, ManyAxesThatGoTogetherAreOne) {
  // Twelve axes of size two, all moved from one dimension to the other.
  llvm::SmallVector<dist::MeshAxis> axes;
  AxisList names;
  for (char name = 'a'; name < 'a' + 12; ++name) {
    axes.push_back({std::string(1, name), 2});
    names.push_back(std::string(1, name));
  }
  ReshardPlan result =
      planReshard(split({names, {}}), split({{}, names}), {4096, 4096}, Mesh(axes));
  ASSERT_EQ(result.steps.size(), 1u);
  EXPECT_EQ(result.steps[0].kind, StepKind::AllToAll);
  EXPECT_EQ(result.steps[0].axes, names);
  EXPECT_EQ(result.steps[0].to, split({{}, names}));
}

TEST(ReshardPlan, AxesThatDoNotGoTogetherEndTheSearchEarly) {
  llvm::SmallVector<dist::MeshAxis> axes;
  AxisList names, reversed;
  for (char name = 'a'; name < 'a' + 12; ++name) {
    axes.push_back({std::string(1, name), 2});
    names.push_back(std::string(1, name));
    reversed.insert(reversed.begin(), std::string(1, name));
  }
  ReshardPlan result =
      planReshard(split({names, {}}), split({reversed, {}}), {4096, 4096}, Mesh(axes));
  EXPECT_EQ(result.getReceived(), 4096);
}

TEST(ReshardPlanCache, APlanIsFoundOnce) {
  ReshardPlanCache planCache(mesh);
  Sharding from = split({{"x"}, {}}), to = split({{}, {"x"}});
  const ReshardPlan &first = planCache.plan(from, to, {16, 16}, 4);
  EXPECT_EQ(first.str(), "all_to_all(x: 0 -> 1)");
  EXPECT_EQ(&planCache.plan(from, to, {16, 16}, 4), &first);
  EXPECT_NE(&planCache.plan(from, to, {32, 16}, 4), &first);
}

TEST(ReshardPlanCache, ByTimeFewMessagesDecideForSmallTensors) {
  auto cluster = machine::parseForm("1x8xH100");
  ReshardPlanCache planCache(mesh, &*cluster);
  Sharding from = Sharding::replicated(2).withPartial({"y"}), to = Sharding::replicated(2);
  EXPECT_EQ(planCache.plan(from, to, {16, 16}, 4).str(), "all_reduce(y)");
  // Large tensors are reduced in parts by the idle ranks along x.
  EXPECT_GT(planCache.plan(from, to, {8192, 8192}, 4).steps.size(), 1u);
}

//===-- Reduced meshes ----------------------------------------------------------------------===//

TEST(ReducedMesh, MergesAxesThatStandForOne) {
  Mesh cube({{"a", 2}, {"b", 2}, {"c", 2}});
  Sharding from = split({{"a", "b"}, {"c"}}), to = split({{}, {"a", "b"}});
  ReducedMesh reduced(from, to, cube, 2);
  EXPECT_EQ(reduced.getMesh().str(), "a.b=4, c=2");
  EXPECT_EQ(reduced.reduce(from).str(), "[a.b, c]");
  EXPECT_EQ(reduced.reduce(to).str(), "[_, a.b]");
  EXPECT_EQ(reduced.expand(llvm::ArrayRef<std::string>{"a.b"}), (AxisList{"a", "b"}));
}

TEST(ReducedMesh, DropsAxesThatBothUseAlike) {
  Mesh wide({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}});
  Sharding from = split({{"a", "b"}, {"c"}}).withPartial({"d"});
  Sharding to = split({{"a", "c"}, {"b"}}).withPartial({"d"});
  ReducedMesh reduced(from, to, wide, 2);
  EXPECT_EQ(reduced.getMesh().str(), "b=2, c=2");
  EXPECT_EQ(reduced.reduce(from).str(), "[b, c]");
  EXPECT_EQ(reduced.reduceShape({16, 16}), (llvm::SmallVector<int64_t, 4>{8, 16}));
}

// A plan on a reduced mesh leads from one sharding to the other on the whole mesh.
TEST(ReducedMesh, PlansLeadFromOneToTheOther) {
  Mesh wide({{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}, {"f", 2}});
  Sharding from = split({{"a", "b", "c"}, {"d"}}).withPartial({"e", "f"});
  Sharding to = split({{"a", "d"}, {"c", "b"}}).withPartial({"f"});
  for (bool isDirect : {false, true}) {
    ReshardPlan result = isDirect ? planDirectReshard(from, to, {64, 64}, wide, costByElements)
                                  : planReshard(from, to, {64, 64}, wide);
    Sharding here = from;
    for (const ReshardStep &step : result.steps) {
      EXPECT_EQ(step.from.str(), here.str());
      EXPECT_EQ(step.to.verify({64, 64}, wide), "");
      EXPECT_FALSE(llvm::is_contained(step.axes, "a")) << step.str();
      here = step.to;
    }
    EXPECT_EQ(here.str(), to.str());
  }
}
