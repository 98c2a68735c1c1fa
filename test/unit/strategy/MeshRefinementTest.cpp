// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/constraints/MeshRefinement.h"

#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace pcc::strategy;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::MeshAxis;

namespace {

/// Prints lists of axes as in "x.y, -, z".
std::string toText(const std::vector<AxisList> &lists) {
  std::string text;
  for (const AxisList &list : lists) {
    text += text.empty() ? "" : ", ";
    for (const std::string &axis : list)
      text += axis + ".";
    if (list.empty())
      text += "-.";
    text.pop_back();
  }
  return text;
}

TEST(MeshRefinement, OneMatrixIsTheMesh) {
  MeshRefinement result = refineMesh(8, {DeviceMatrix{2, 1, 4}});
  EXPECT_EQ(result.mesh.str(), "x=2, y=4");
  EXPECT_EQ(toText(result.matrices[0]), "x, -, y");
}

TEST(MeshRefinement, WhatIsLeftOverRepeatsOnTheRight) {
  MeshRefinement result = refineMesh(8, {DeviceMatrix{4}});
  EXPECT_EQ(result.mesh.str(), "x=4, y=2");
  EXPECT_EQ(toText(result.matrices[0]), "x");
}

TEST(MeshRefinement, MatricesShareTheirCommonRefinement) {
  MeshRefinement result = refineMesh(8, {DeviceMatrix{2, 1, 4}, DeviceMatrix{4, 2}});
  EXPECT_EQ(result.mesh.str(), "x=2, y=2, z=2");
  EXPECT_EQ(toText(result.matrices[0]), "x, -, y.z");
  EXPECT_EQ(toText(result.matrices[1]), "x.y, z");
}

TEST(MeshRefinement, WithoutOneAxesAreTakenBySize) {
  MeshRefinement result = refineMesh(6, {DeviceMatrix{2, 3}, DeviceMatrix{3, 2}});
  EXPECT_EQ(result.mesh.str(), "x=2, y=3");
  EXPECT_EQ(toText(result.matrices[1]), "y, x");
}

TEST(MeshRefinement, AxesAreCutToPrimesWhereNoneFits) {
  MeshRefinement result = refineMesh(12, {DeviceMatrix{4, 3}, DeviceMatrix{6, 2}});
  EXPECT_EQ(result.mesh.str(), "x=2, y=2, z=3");
  EXPECT_EQ(toText(result.matrices[0]), "x.y, z");
  EXPECT_EQ(toText(result.matrices[1]), "x.z, y");
}

TEST(MeshRefinement, GivenAxesKeepTheirNamesUnlessTheyAreCut) {
  Mesh given({MeshAxis{"dp", 2}, MeshAxis{"tp", 4}});
  MeshRefinement result = refineMesh(given, {DeviceMatrix{4, 2}});
  EXPECT_EQ(result.mesh.str(), "dp=2, tp0=2, tp1=2");
  EXPECT_EQ(toText(result.matrices[0]), "dp.tp0, tp1");
  EXPECT_EQ(toText({result.pieces.lookup("dp"), result.pieces.lookup("tp")}), "dp, tp0.tp1");
}

TEST(MeshRefinement, PiecesTakeNoNameThatIsThere) {
  Mesh given({MeshAxis{"a", 4}, MeshAxis{"a0", 2}});
  MeshRefinement result = refineMesh(given, {DeviceMatrix{2}});
  EXPECT_EQ(result.mesh.verify(), "");
  EXPECT_EQ(result.mesh.getNumRanks(), 8);
}

TEST(MeshRefinement, AxesOfOneRankAreDropped) {
  MeshRefinement result = refineMesh(Mesh(MeshAxis{"dp", 1}), {DeviceMatrix{1, 1}});
  EXPECT_EQ(result.mesh.getNumRanks(), 1);
  EXPECT_EQ(toText(result.matrices[0]), "-, -");
}

/// Makes numbers whose product divides `ranks`.
DeviceMatrix makeRandomMatrix(int64_t ranks, std::mt19937 &random) {
  DeviceMatrix matrix;
  for (int dim = 0; dim < 3; ++dim) {
    int64_t count = 1 + random() % ranks;
    matrix.push_back(std::gcd(count, ranks));
    ranks /= matrix.back();
  }
  return matrix;
}

TEST(MeshRefinement, EveryCountIsAProductOfWholeDistinctAxes) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    static constexpr int64_t choices[] = {1, 6, 8, 12, 30, 64, 72, 96, 4096};
    int64_t ranks = choices[random() % std::size(choices)];
    std::vector<DeviceMatrix> matrices;
    for (int i = 0; i < 4; ++i)
      matrices.push_back(makeRandomMatrix(ranks, random));
    MeshRefinement result = refineMesh(ranks, matrices);
    EXPECT_EQ(result.mesh.verify(), "");
    EXPECT_EQ(result.mesh.getNumRanks(), ranks);
    for (size_t i = 0; i < matrices.size(); ++i) {
      AxisList used;
      for (size_t dim = 0; dim < matrices[i].size(); ++dim) {
        EXPECT_EQ(result.mesh.getSize(result.matrices[i][dim]), matrices[i][dim]);
        used.append(result.matrices[i][dim]);
      }
      std::sort(used.begin(), used.end());
      EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end());
    }
  }
}

} // namespace
