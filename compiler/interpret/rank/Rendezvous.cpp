// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mutex guards the table. A contribution joins the first open rendezvous of its key that lacks
// this member. The last contribution completes the rendezvous and wakes its ranks. Deadlock is
// detected without timeouts: all live ranks wait for incomplete rendezvous.
#include "compiler/interpret/rank/Rank.h"

#include <algorithm>

using namespace mlir;

namespace pcc::interpret {

const Tensor &Rendezvous::once(llvm::function_ref<Tensor()> compute) {
  std::call_once(computed, [&] { value = compute(); });
  return value;
}

std::shared_ptr<Rendezvous> RendezvousTable::post(llvm::ArrayRef<int64_t> group, int64_t position,
                                                  llvm::StringRef channel,
                                                  Contribution contribution) {
  std::lock_guard lock(mutex);
  auto &points = open[Key(group.vec(), channel.str())];
  // The member's next rendezvous is the first one to which it has not contributed.
  auto next = llvm::find_if(points, [&](auto &m) { return m->contributions[position].empty(); });
  if (next == points.end())
    next = points.insert(points.end(), std::make_shared<Rendezvous>(group, channel));
  std::shared_ptr<Rendezvous> point = *next;
  if (contribution.empty()) // an empty entry would mean that the member has not contributed
    contribution.emplace_back();
  point->contributions[position] = std::move(contribution);
  if (++point->arrived < group.size())
    return point;
  // The rendezvous is complete: its ranks no longer count as waiting, even if their threads still
  // sleep.
  waiting -= point->waiting.size();
  point->waiting.clear();
  points.pop_front();
  point->complete.notify_all();
  return point;
}

LogicalResult RendezvousTable::wait(int64_t rank, Rendezvous &point) {
  std::unique_lock lock(mutex);
  if (point.arrived == point.group.size())
    return success();
  point.waiting.push_back(rank);
  ++waiting;
  failIfStuck();
  point.complete.wait(lock, [&] { return point.arrived == point.group.size() || broken; });
  return success(point.arrived == point.group.size());
}

void RendezvousTable::leave() {
  std::lock_guard lock(mutex);
  --live;
  failIfStuck();
}

void RendezvousTable::failIfStuck() {
  if (waiting == 0 || waiting < live || broken)
    return;
  broken = true;
  for (auto &[key, points] : open)
    for (const std::shared_ptr<Rendezvous> &point : points) {
      llvm::SmallVector<int64_t> missing;
      for (auto [position, member] : llvm::enumerate(point->group))
        if (point->contributions[position].empty())
          missing.push_back(member);
      for (int64_t rank : point->waiting)
        stuck.push_back({rank, point->channel, missing});
      point->complete.notify_all();
    }
  llvm::sort(stuck, [](const StuckRank &a, const StuckRank &b) { return a.rank < b.rank; });
}

std::optional<std::string> RendezvousTable::findUnfinished() const {
  for (auto &[key, points] : open)
    if (!points.empty())
      return points.front()->channel;
  return std::nullopt;
}

} // namespace pcc::interpret
