// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/dist/Dist.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::dist;

/// The axes of each dimension; as a constructor's argument the braces would also fit a copy.
static Sharding split(llvm::ArrayRef<AxisList> dims) { return Sharding(dims); }

static const Mesh mesh({{"dp", 2}, {"tp", 4}});

TEST(Sharding, LocalShapeAndOffset) {
  Sharding rows = split({{"dp"}, {}}), columns = split({{}, {"dp", "tp"}});
  EXPECT_EQ(rows.getLocalShape({8, 16}, mesh), (llvm::SmallVector<int64_t, 4>{4, 16}));
  EXPECT_EQ(rows.getOffset(5, {8, 16}, mesh), (llvm::SmallVector<int64_t, 4>{4, 0}));
  EXPECT_EQ(columns.getLocalShape({8, 16}, mesh), (llvm::SmallVector<int64_t, 4>{8, 2}));
  EXPECT_EQ(columns.getOffset(5, {8, 16}, mesh), (llvm::SmallVector<int64_t, 4>{0, 10}));
  EXPECT_EQ(columns.getGlobalShape({8, 2}, mesh), (llvm::SmallVector<int64_t, 4>{8, 16}));
  EXPECT_EQ(columns.getNumBlocks(mesh), 8);
  EXPECT_EQ(columns.getShardCount(1, mesh), 8);
}

TEST(Sharding, HoldersOfABlock) {
  EXPECT_EQ(split({{"dp"}}).getHolders(5, mesh), (RankList{4, 5, 6, 7}));
  EXPECT_EQ(split({{"tp"}}).getHolders(5, mesh), (RankList{1, 5}));
  EXPECT_EQ(split({{"dp", "tp"}}).getHolders(5, mesh), (RankList{5}));
  EXPECT_EQ(Sharding::replicated(1).getHolders(5, mesh).size(), 8u);
}

TEST(Sharding, BlocksOfAllRanksCoverTheTensor) {
  for (const Sharding &sharding : {split({{"tp"}, {"dp"}}), split({{"tp", "dp"}, {}}),
                                   split({{}, {"dp"}}), Sharding::replicated(2)}) {
    std::vector<int64_t> owners(8 * 8, 0);
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      auto offset = sharding.getOffset(rank, {8, 8}, mesh);
      auto shape = sharding.getLocalShape({8, 8}, mesh);
      for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j)
          ++owners[(offset[0] + i) * 8 + offset[1] + j];
    }
    int64_t copies = mesh.getNumRanks() / sharding.getNumBlocks(mesh);
    for (int64_t count : owners)
      EXPECT_EQ(count, copies) << sharding.str();
  }
}

TEST(Sharding, PartialAxes) {
  Sharding sharding = Sharding::replicated(1).withPartial({"tp", "dp"}, ReduceKind::Max);
  EXPECT_TRUE(sharding.isPartial());
  EXPECT_FALSE(sharding.isSplit());
  EXPECT_TRUE(sharding.uses("tp"));
  EXPECT_EQ(sharding.str(), "[_] partial(max: dp, tp)");
  EXPECT_EQ(sharding, Sharding::replicated(1).withPartial({"dp", "tp"}, ReduceKind::Max));
  EXPECT_TRUE(sharding.withoutPartial().isReplicated());
}

TEST(Sharding, RefusesWhatIsIllegal) {
  EXPECT_EQ(split({{"dp"}}).verify({8, 16}, mesh),
            "expected a sharding of 2 dimensions, got \"[dp]\"");
  EXPECT_EQ(split({{"ep"}, {}}).verify({8, 16}, mesh),
            "axis \"ep\" of sharding \"[ep, _]\" is not an axis of the mesh \"dp=2, tp=4\"");
  EXPECT_EQ(split({{"dp"}, {"dp"}}).verify({8, 16}, mesh),
            "axis \"dp\" occurs twice in sharding \"[dp, dp]\"");
  EXPECT_EQ(split({{"dp"}}).withPartial({"dp"}).verify({8}, mesh),
            "axis \"dp\" occurs twice in sharding \"[dp] partial(sum: dp)\"");
  EXPECT_EQ(
      split({{"tp"}}).verify({6}, mesh),
      "dimension 0 of size 6 is not divisible by 4 shards (\"tp\"); counts that divide: 1, 2, "
      "3, 6");
  EXPECT_EQ(split({{"tp"}}).verify({8}, mesh), "");
}

TEST(Sharding, TextReadsBack) {
  mlir::MLIRContext context;
  context.loadDialect<DistDialect>();
  for (const char *text : {"[]", "[_]", "[dp, _, x.y]", "[dp, _] partial(sum: tp)",
                           "[_] partial(max: dp, tp)", "[] partial(prod: dp)"}) {
    mlir::FailureOr<Sharding> sharding = parseSharding(text, &context);
    ASSERT_TRUE(mlir::succeeded(sharding)) << text;
    EXPECT_EQ(sharding->str(), text);
    EXPECT_EQ(ShardingAttr::get(&context, *sharding).getSharding(), *sharding);
  }
}

TEST(Sharding, DivisorsOfASize) {
  EXPECT_EQ(listDivisors(32), "1, 2, 4, 8, 16, 32");
  EXPECT_EQ(listDivisors(7), "1, 7");
}
