// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ranks a collective joins. A null group stands for all ranks of the mesh.
#pragma once

#include "dialects/dist/Dist.h"

namespace pcc::dist {

/// The mesh axes along which the ranks of a group differ; of a group that is no list of ranks.
AxisList getGroupAxes(GroupAttr group, const Mesh &mesh);
/// The ranks of the group of `rank`, in group order.
RankList getGroupMembers(GroupAttr group, const Mesh &mesh, int64_t rank);
/// All groups, each in group order.
llvm::SmallVector<RankList> getGroups(GroupAttr group, const Mesh &mesh);
/// The size of every group, or nothing where they differ.
std::optional<int64_t> getCommonGroupSize(GroupAttr group, const Mesh &mesh);

} // namespace pcc::dist
