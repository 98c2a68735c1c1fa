// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published cases of MindSpore: device matrices with tensor maps, the groups of ranks
// that hold the same slice, and the redistributions between layouts. Cases that need a program are
// in strategies.mlir. Groups along the axes of a matrix are tested with the mesh; refusals are
// tested with the messages of strategies.
#include "passes/analysis/reshard/ReshardPlan.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include "gtest/gtest.h"

using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;
using strategy::DeviceMatrix;

namespace {

/// Makes the sharding of a tensor whose dimensions are cut by `map`. For each dimension `map` has
/// an entry of a device matrix, counted from the right, or -1. `axes` has the mesh axes of each
/// entry.
Sharding makeSharding(llvm::ArrayRef<AxisList> axes, llvm::ArrayRef<int64_t> map) {
  llvm::SmallVector<AxisList> dims;
  for (int64_t entry : map)
    dims.push_back(entry < 0 ? AxisList() : axes[axes.size() - 1 - entry]);
  return Sharding(dims);
}

TEST(PublicCases, RanksWithTheSameSliceOfAListOfRanks) {
  const int64_t ranks[] = {10, 3, 2, 9, 11, 100, 1, 0};
  strategy::MeshRefinement refined = strategy::refineMesh(8, {DeviceMatrix{4, 2}});
  Sharding sharding = makeSharding(refined.matrices[0], {-1, 0});
  std::vector<int64_t> group;
  const int64_t positionOfRank0 = 7;
  for (int64_t position : sharding.getHolders(positionOfRank0, refined.mesh))
    group.push_back(ranks[position]);
  EXPECT_EQ(group, (std::vector<int64_t>{3, 9, 100, 0}));
}

TEST(PublicCases, AnAxisThatMovesIsOneAllToAll) {
  strategy::MeshRefinement refined =
      strategy::refineMesh(16, {DeviceMatrix{16, 1, 1}, DeviceMatrix{1, 16, 1}});
  Sharding from = makeSharding(refined.matrices[0], {2, 0});
  Sharding to = makeSharding(refined.matrices[1], {2, 1});
  analysis::ReshardPlan plan = analysis::planReshard(from, to, {512, 512}, refined.mesh);
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, analysis::StepKind::AllToAll);
  EXPECT_EQ(plan.steps[0].fromDim, 0);
  EXPECT_EQ(plan.steps[0].toDim, 1);
}

} // namespace
