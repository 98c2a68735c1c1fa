// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of Placement.h: shardings become placements and come back, and meshes are found for them.
#include "dialects/dist/Placement.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using dist::AxisList;
using dist::Mesh;
using dist::MeshAxis;
using dist::Placement;
using dist::Sharding;

Mesh meshOf(const std::vector<MeshAxis> &axes) { return Mesh(llvm::ArrayRef(axes)); }
Mesh grid() { return meshOf({{"x", 2}, {"y", 3}}); }
Sharding cut(const std::vector<AxisList> &dims) { return Sharding(llvm::ArrayRef(dims)); }

TEST(Placement, ListsTheBlockOfEachRank) {
  Placement placement = dist::getPlacement(cut({{}, {"x"}}), grid());
  EXPECT_EQ(placement.counts, (llvm::SmallVector<int64_t, 4>{1, 2}));
  ASSERT_EQ(placement.blocks.size(), 6u);
  for (int64_t rank = 0; rank < 6; ++rank)
    EXPECT_EQ(placement.blocks[rank], (llvm::SmallVector<int64_t, 4>{0, rank / 3}));
}

TEST(Placement, IgnoresPartialAxes) {
  Sharding rows = cut({{"y"}});
  EXPECT_EQ(dist::getPlacement(rows.withPartial({"x"}), grid()), dist::getPlacement(rows, grid()));
}

/// All ways to cut two dimensions over the axes of the mesh, in both orders of the axes.
std::vector<Sharding> listShardings() {
  const std::vector<AxisList> lists = {{}, {"x"}, {"y"}, {"x", "y"}, {"y", "x"}};
  std::vector<Sharding> shardings;
  for (const AxisList &rows : lists)
    for (const AxisList &columns : lists)
      if (rows.empty() || columns.empty() ||
          (rows.size() == 1 && columns.size() == 1 && rows != columns))
        shardings.push_back(cut({rows, columns}));
  return shardings;
}

TEST(Placement, EveryShardingComesBack) {
  for (const Sharding &sharding : listShardings())
    EXPECT_EQ(dist::findSharding(dist::getPlacement(sharding, grid()), grid()), sharding)
        << sharding.str();
}

TEST(Placement, OtherBlocksAreNoSharding) {
  // Ranks 0 and 1 change places, which no axis does.
  Placement swapped = dist::getPlacement(cut({AxisList{"x", "y"}}), grid());
  std::swap(swapped.blocks[0], swapped.blocks[1]);
  EXPECT_EQ(dist::findSharding(swapped, grid()), std::nullopt);
  // A placement on another mesh has another number of blocks.
  Placement small = dist::getPlacement(cut({{"x"}}), meshOf({{"x", 2}}));
  EXPECT_EQ(dist::findSharding(small, grid()), std::nullopt);
  // One step of an axis moves two dimensions.
  Placement diagonal{{2, 2}, {{0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}}};
  EXPECT_EQ(dist::findSharding(diagonal, grid()), std::nullopt);
}

TEST(Placement, FindsTheCoarsestMesh) {
  size_t misfit = 99;
  // Without cuts, one axis of all ranks.
  std::optional<Mesh> mesh = dist::findMesh({Placement{{1}, {{0}, {0}, {0}, {0}}}}, 4, misfit);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->str(), "x=4");
  // Two tensors cut over different groups need two axes.
  Placement outer = dist::getPlacement(cut({{"x"}}), grid()),
            inner = dist::getPlacement(cut({{"y"}}), grid());
  mesh = dist::findMesh({outer, inner}, 6, misfit);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->str(), "x=2, y=3");
  EXPECT_EQ(dist::findMesh({}, 6, misfit)->str(), "x=6");
}

TEST(Placement, NamesThePlacementThatDoesNotFit) {
  size_t misfit = 99;
  Placement outer = dist::getPlacement(cut({{"x"}}), grid()),
            other = dist::getPlacement(cut({{"x"}}), meshOf({{"x", 3}, {"y", 2}})),
            irregular{{2}, {{0}, {1}, {1}, {0}, {0}, {1}}};
  EXPECT_EQ(dist::findMesh({outer, other}, 6, misfit), std::nullopt); // groups of 3 and of 2 ranks
  EXPECT_EQ(misfit, 1u);
  EXPECT_EQ(dist::findMesh({irregular, outer}, 6, misfit), std::nullopt);
  EXPECT_EQ(misfit, 0u);
}

} // namespace
} // namespace pcc::test
