// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the rendezvous of a dist op's group.
#pragma once

#include "compiler/interpret/rank/Registry.h"
#include "dialects/dist/Group.h"

namespace pcc::interpret {

/// A rank's position in its group, and the rendezvous of the group.
struct JoinedGroup {
  dist::RankList members;
  int64_t position; ///< of this rank in `members`
  std::shared_ptr<Rendezvous> point;
};

/// Returns the group of `rank`, without a rendezvous.
inline JoinedGroup findPosition(dist::GroupAttr group, const Rank &rank) {
  dist::RankList members = dist::getGroupMembers(group, rank.getMesh(), rank.getPosition());
  for (int64_t &member : members)
    member = rank.getNeighbor(member);
  int64_t position = llvm::find(members, rank.getIndex()) - members.begin();
  return {members, position, nullptr};
}

/// Contributes the op's operands to its group and waits for the other members. The channel has the
/// op's name, its types and `detail`, so that ranks at different collectives never exchange data.
template <typename OpT>
mlir::FailureOr<JoinedGroup> joinGroup(OpT op, OpCall &call, const llvm::Twine &detail = "") {
  JoinedGroup joined = findPosition(op.getGroupAttr(), call.rank);
  std::string channel = op->getName().getStringRef().str();
  if (!detail.isTriviallyEmpty())
    channel += " " + detail.str();
  for (const Tensor &operand : call.operands)
    channel += " " + operand.typeString();
  auto point =
      call.rank.exchange(op, joined.members, joined.position, channel, Contribution(call.operands));
  if (mlir::failed(point))
    return mlir::failure();
  joined.point = *point;
  return joined;
}

} // namespace pcc::interpret
