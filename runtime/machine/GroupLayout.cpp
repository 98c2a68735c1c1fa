// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// over() multiplies the units that each axis covers, by strides alone, so its time does not depend
// on the number of ranks. of() maps the given ranks to units, level by level.

#include "runtime/machine/GroupLayout.h"

#include <algorithm>
#include <map>
#include <set>

namespace pcc::machine {

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Returns the number of units of `unit` consecutive devices in which the group has members.
static int64_t countUnits(std::span<const GroupAxis> axes, int64_t unit) {
  int64_t count = 1;
  for (const GroupAxis &axis : axes)
    count *= axis.stride >= unit ? axis.size : divideUp(axis.stride * axis.size, unit);
  return count;
}

GroupLayout GroupLayout::over(std::span<const GroupAxis> axes, const abi::Cluster &cluster) {
  GroupLayout group;
  group.size = countUnits(axes, 1);
  int64_t unit = 1, inner = group.size;
  for (const abi::TopologyLevel &level : cluster.level()) {
    unit *= level.count();
    int64_t outer = countUnits(axes, unit);
    group.members.push_back(divideUp(inner, outer));
    inner = outer;
  }
  return group;
}

GroupLayout GroupLayout::of(std::span<const int64_t> ranks, const abi::Cluster &cluster) {
  GroupLayout group;
  group.size = static_cast<int64_t>(ranks.size());
  std::set<int64_t> units(ranks.begin(), ranks.end());
  for (const abi::TopologyLevel &level : cluster.level()) {
    std::map<int64_t, int64_t> members;
    for (int64_t unit : units)
      ++members[unit / level.count()];
    units.clear();
    int64_t maxMembers = 0;
    for (const auto &[unit, count] : members) {
      units.insert(unit);
      maxMembers = std::max(maxMembers, count);
    }
    group.members.push_back(maxMembers);
  }
  return group;
}

int64_t GroupLayout::membersBelow(int level) const {
  int64_t count = 1;
  for (int i = 0; i < level; ++i)
    count *= members[i];
  return count;
}

} // namespace pcc::machine
