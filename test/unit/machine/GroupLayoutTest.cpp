// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels of the members of a group, compared with counting the members one by one.
#include "runtime/machine/GroupLayout.h"
#include "runtime/machine/Cluster.h"

#include <gtest/gtest.h>
#include <set>

namespace pcc::machine {
namespace {

using Members = std::vector<int64_t>;

GroupLayout groupOn(const char *form, std::vector<GroupAxis> axes) {
  return GroupLayout::over(axes, *parseForm(form));
}

TEST(GroupLayout, ExamplesOfTheHeader) {
  EXPECT_EQ(groupOn("2x8xH100", {{4, 1}}).members, (Members{4, 1}));
  EXPECT_EQ(groupOn("2x8xH100", {{4, 4}}).members, (Members{2, 2}));
  EXPECT_EQ(groupOn("2x8xH100", {{4, 4}, {4, 1}}).members, (Members{8, 2}));
}

TEST(GroupLayout, NobodyElse) {
  GroupLayout group = groupOn("2x8xH100", {});
  EXPECT_EQ(group.size, 1);
  EXPECT_EQ(group.members, (Members{1, 1}));
}

TEST(GroupLayout, UnalignedGroupsAreRoundedUp) {
  GroupLayout group = groupOn("3x2xcpu", {{3, 1}});
  EXPECT_EQ(group.size, 3);
  EXPECT_EQ(group.members, (Members{2, 2}));
}

/// Counts the units of `unit` ranks that hold a member of the group of rank 0.
int64_t countUnits(const std::vector<GroupAxis> &axes, int64_t unit) {
  std::set<int64_t> ranks = {0}, units;
  for (const GroupAxis &axis : axes)
    for (int64_t rank : std::set<int64_t>(ranks))
      for (int64_t i = 0; i < axis.size; ++i)
        ranks.insert(rank + i * axis.stride);
  for (int64_t rank : ranks)
    units.insert(rank / unit);
  return units.size();
}

TEST(GroupLayout, AlignedGroupsAsCounted) {
  // Every subset of the axes of a mesh 2x2x2x2x2, on levels of sizes 4, 4 and 2.
  auto cluster = *parseForm("2x4x4xcpu");
  for (int subset = 0; subset < 32; ++subset) {
    std::vector<GroupAxis> axes;
    for (int axis = 0; axis < 5; ++axis)
      if (subset >> axis & 1)
        axes.push_back({2, int64_t(1) << axis});
    GroupLayout group = GroupLayout::over(axes, cluster);
    EXPECT_EQ(group.members[0], countUnits(axes, 1) / countUnits(axes, 4)) << subset;
    EXPECT_EQ(group.members[1], countUnits(axes, 4) / countUnits(axes, 16)) << subset;
    EXPECT_EQ(group.members[2], countUnits(axes, 16)) << subset;
  }
}

} // namespace
} // namespace pcc::machine
