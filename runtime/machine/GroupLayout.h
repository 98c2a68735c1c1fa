// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Location of the members of a rank group on a cluster, level by level, without naming a rank.
//
//   cluster 2x8xH100, mesh dp=4, tp=4 (rank = dp * 4 + tp)
//   group over   stride  members by level   why
//   tp           1       4, 1               four neighbors in one box
//   dp           4       2, 2               two in each of two boxes
//   dp, tp       4, 1    8, 2              all
//
// A unit of a level is a set of consecutive devices, such as a box; a unit below the innermost
// level is a device.
//
// All groups over the same axes run side by side. If several devices share a link, their traffic
// shares its rate (CollectiveCost.h).

#pragma once

#include "runtime/abi/cluster.pb.h"

#include <span>
#include <vector>

namespace pcc::machine {

/// One axis of a mesh: `size` ranks, each `stride` from the next.
struct GroupAxis {
  int64_t size = 1;
  int64_t stride = 1;
};

struct GroupLayout {
  int64_t size = 1;
  /// By level, innermost first: number of units of the level below that have members, within one
  /// unit of this level.
  std::vector<int64_t> members;

  /// Returns the group of the ranks that differ along `axes` only. A group that is not aligned with
  /// the levels (3 ranks in units of 2) is rounded up at each level. It counts as if its first rank
  /// were the first of its unit; other groups over the same axes may lie in more units.
  static GroupLayout over(std::span<const GroupAxis> axes, const abi::Cluster &cluster);

  /// Returns the group of `ranks`, all different. At each level the unit with most members counts.
  static GroupLayout of(std::span<const int64_t> ranks, const abi::Cluster &cluster);

  /// Returns the number of members in one unit of the next lower level; 1 for level 0.
  int64_t membersBelow(int level) const;
};

} // namespace pcc::machine
