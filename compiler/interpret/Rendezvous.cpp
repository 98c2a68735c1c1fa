// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/Rendezvous.h"

#include <algorithm>

using namespace mlir;

namespace pcc::interpret {

const Tensor &Meeting::once(llvm::function_ref<Tensor()> compute) {
  std::call_once(computed, [&] { value = compute(); });
  return value;
}

std::shared_ptr<Meeting> Rendezvous::post(llvm::ArrayRef<int64_t> group, int64_t position,
                                          llvm::StringRef channel, Gift gift) {
  std::lock_guard lock(mutex);
  auto &meetings = open[Key(group.vec(), channel.str())];
  // The member's next rendezvous is the first one to which it has not contributed.
  auto next = llvm::find_if(meetings, [&](auto &m) { return m->gifts[position].empty(); });
  if (next == meetings.end())
    next = meetings.insert(meetings.end(), std::make_shared<Meeting>(group, channel));
  std::shared_ptr<Meeting> meeting = *next;
  if (gift.empty())
    gift.emplace_back();
  meeting->gifts[position] = std::move(gift);
  if (++meeting->arrived < group.size())
    return meeting;
  // The rendezvous is complete: its ranks no longer count as waiting, even if their threads still
  // sleep.
  waiting -= meeting->waiting.size();
  meeting->waiting.clear();
  meetings.pop_front();
  meeting->complete.notify_all();
  return meeting;
}

LogicalResult Rendezvous::wait(int64_t rank, Meeting &meeting) {
  std::unique_lock lock(mutex);
  if (meeting.arrived == meeting.group.size())
    return success();
  meeting.waiting.push_back(rank);
  ++waiting;
  failIfStuck();
  meeting.complete.wait(lock, [&] { return meeting.arrived == meeting.group.size() || broken; });
  return success(meeting.arrived == meeting.group.size());
}

void Rendezvous::leave() {
  std::lock_guard lock(mutex);
  --live;
  failIfStuck();
}

void Rendezvous::failIfStuck() {
  if (waiting == 0 || waiting < live || broken)
    return;
  broken = true;
  for (auto &[key, meetings] : open)
    for (const std::shared_ptr<Meeting> &meeting : meetings) {
      llvm::SmallVector<int64_t> missing;
      for (auto [position, member] : llvm::enumerate(meeting->group))
        if (meeting->gifts[position].empty())
          missing.push_back(member);
      for (int64_t rank : meeting->waiting)
        stuck.push_back({rank, meeting->channel, missing});
      meeting->complete.notify_all();
    }
  llvm::sort(stuck, [](const StuckRank &a, const StuckRank &b) { return a.rank < b.rank; });
}

std::optional<std::string> Rendezvous::findUnfinished() const {
  for (auto &[key, meetings] : open)
    if (!meetings.empty())
      return meetings.front()->channel;
  return std::nullopt;
}

} // namespace pcc::interpret
