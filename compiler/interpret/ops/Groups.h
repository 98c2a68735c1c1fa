// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an op of the dist dialect meets the ranks of its group.
#pragma once

#include "compiler/interpret/Registry.h"
#include "dialects/dist/Group.h"

namespace pcc::interpret {

/// A rank among the ranks of its group.
struct Joined {
  dist::RankList members;
  int64_t position; ///< of this rank in `members`
  std::shared_ptr<Meeting> meeting;
};

/// The group of `rank`, without a meeting.
inline Joined findPosition(dist::GroupAttr group, const Rank &rank) {
  dist::RankList members = dist::getGroupMembers(group, rank.getMesh(), rank.getPosition());
  for (int64_t &member : members)
    member = rank.getNeighbor(member);
  int64_t position = llvm::find(members, rank.getIndex()) - members.begin();
  return {members, position, nullptr};
}

/// Gives the op's operands to its group and waits for the others. Ranks meet only under the same op
/// name, type and `detail`, so that ranks that reach different collectives never exchange data.
template <typename OpT>
mlir::FailureOr<Joined> meetGroup(OpT op, OpCall &call, const llvm::Twine &detail = "") {
  Joined joined = findPosition(op.getGroupAttr(), call.rank);
  std::string channel = op->getName().getStringRef().str();
  if (!detail.isTriviallyEmpty())
    channel += " " + detail.str();
  for (const Tensor &operand : call.operands)
    channel += " " + operand.typeString();
  auto meeting = call.rank.meet(op, joined.members, joined.position, channel, Gift(call.operands));
  if (mlir::failed(meeting))
    return mlir::failure();
  joined.meeting = *meeting;
  return joined;
}

} // namespace pcc::interpret
