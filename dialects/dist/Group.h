// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ranks that take part in a collective. A null group stands for all ranks of the mesh.
#pragma once

#include "dialects/dist/Dist.h"

namespace pcc::dist {

/// Returns the mesh axes along which the ranks of a group differ; the group must not be a list of
/// ranks.
AxisList getGroupAxes(GroupAttr group, const Mesh &mesh);
/// Returns the ranks of the group of `rank`, in group order.
RankList getGroupMembers(GroupAttr group, const Mesh &mesh, int64_t rank);
/// Returns all groups, each in group order.
llvm::SmallVector<RankList> getGroups(GroupAttr group, const Mesh &mesh);
/// Returns the size of every group, or nothing if sizes differ.
std::optional<int64_t> getCommonGroupSize(GroupAttr group, const Mesh &mesh);

} // namespace pcc::dist
