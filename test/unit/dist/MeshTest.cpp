// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/dist/Mesh.h"
#include <gtest/gtest.h>

using namespace pcc::dist;

TEST(Mesh, CoordinatesAreRowMajor) {
  Mesh mesh({{"dp", 2}, {"tp", 4}});
  EXPECT_EQ(mesh.getNumRanks(), 8);
  EXPECT_EQ(mesh.getCoordinates(5), (llvm::SmallVector<int64_t, 4>{1, 1}));
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(mesh.getRank(mesh.getCoordinates(rank)), rank);
  EXPECT_EQ(mesh.str(), "dp=2, tp=4");
}

TEST(Mesh, NoAxesIsOneRank) {
  Mesh mesh;
  EXPECT_EQ(mesh.getNumRanks(), 1);
  EXPECT_EQ(mesh.getGroup(0, {}), (RankList{0}));
}

// Ranks 0 to 5 as a matrix (2, 3): the groups of rank 0 along each axis.
TEST(Mesh, GroupsOfSixRanks) {
  Mesh mesh({{"x", 2}, {"y", 3}});
  EXPECT_EQ(mesh.getGroup(0, {"x"}), (RankList{0, 3}));
  EXPECT_EQ(mesh.getGroup(0, {"y"}), (RankList{0, 1, 2}));
}

// Ranks 0 to 15 as a matrix (2, 1, 4, 2): the groups of rank 5 along each axis.
TEST(Mesh, GroupsOfSixteenRanks) {
  Mesh mesh({{"a", 2}, {"b", 1}, {"c", 4}, {"d", 2}});
  EXPECT_EQ(mesh.getGroup(5, {"a"}), (RankList{5, 13}));
  EXPECT_EQ(mesh.getGroup(5, {"b"}), (RankList{5}));
  EXPECT_EQ(mesh.getGroup(5, {"c"}), (RankList{1, 3, 5, 7}));
  EXPECT_EQ(mesh.getGroup(5, {"d"}), (RankList{4, 5}));
}

TEST(Mesh, OrderOfAxesIsTheOrderOfTheGroup) {
  Mesh mesh({{"x", 2}, {"y", 2}});
  EXPECT_EQ(mesh.getGroup(0, {"x", "y"}), (RankList{0, 1, 2, 3}));
  EXPECT_EQ(mesh.getGroup(0, {"y", "x"}), (RankList{0, 2, 1, 3}));
  EXPECT_EQ(mesh.getPosition(1, {"y", "x"}), 2);
  EXPECT_EQ(mesh.getGroups({"y"}).size(), 2u);
}

TEST(Mesh, RefusesWhatIsNoMesh) {
  EXPECT_EQ(Mesh({{"x", 2}, {"x", 2}}).verify(), "axis \"x\" occurs twice in the mesh");
  EXPECT_EQ(Mesh({{"x", 0}}).verify(),
            "expected axis \"x\" of the mesh to have 1 to 4096 ranks, got 0");
  EXPECT_EQ(Mesh({{"x", 4096}, {"y", 2}}).verify(),
            "expected a mesh of at most 4096 ranks, got \"x=4096, y=2\"");
  for (std::string name : {"", "_", "a.b", "a b", "2x", "-"})
    EXPECT_EQ(Mesh({{name, 2}}).verify(), "\"" + name + "\" cannot name an axis of a mesh");
  EXPECT_EQ(Mesh({{"dp", 2}, {"_x", 2}, {"x2$", 2}}).verify(), "");
}
