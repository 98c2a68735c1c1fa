// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each sender, receiver and tag has two queues, and at most one of them is non-empty. One lock
// guards all queues. The copy runs outside the lock, on the thread of the side that arrives second.

#include "runtime/collective/local/Mailbox.h"

#include "runtime/base/Sleep.h"
#include "runtime/collective/CallBytes.h"
#include "runtime/collective/SameCalls.h"
#include "runtime/collective/local/NonTemporalStore.h"

#include <algorithm>

namespace pcc::runtime::local {

static void moveBytes(const CollectiveCall &from, const CollectiveCall &to, int64_t bytes) {
  storeBytes(storeModeFor(bytes), destinationOf(to), sourceOf(from), bytes);
  finishStores(storeModeFor(bytes));
}

/// Copies, then notifies both sides.
void Mailbox::transfer(PendingMessage &send, PendingMessage &receive, int sender,
                       int receiver) const {
  const CollectiveCall &from = *send.call, &to = *receive.call;
  int64_t bytes = from.count() * int64_t(abi::elementBytes(from.type));
  TransferInterval carried{nowNanoseconds(), 0};
  if (link)
    carried = link->carryMessage(ranks[sender], ranks[receiver], bytes, carried.begin);
  Status outcome = checkMessage(from, sender, to, receiver);
  if (outcome.ok())
    moveBytes(from, to, bytes);
  int64_t moved = nowNanoseconds();
  for (PendingMessage *post : {&send, &receive}) {
    post->outcome = outcome;
    post->interval = link ? carried : TransferInterval{carried.begin, moved};
    post->done.store(1, std::memory_order_release);
    wakeAll(post->done);
  }
}

std::shared_ptr<PendingMessage> Mailbox::post(int position, const CollectiveCall &call) {
  bool sends = call.kind == abi::SEND;
  int sender = sends ? position : call.root, receiver = sends ? call.root : position;
  auto mine = std::make_shared<PendingMessage>();
  mine->call = &call;
  std::shared_ptr<PendingMessage> other;
  {
    std::lock_guard lock(mutex);
    Queues &queues = routes[{sender, receiver, call.tag}];
    auto &waiting = sends ? queues.receives : queues.sends;
    if (waiting.empty()) {
      (sends ? queues.sends : queues.receives).push_back(mine);
      return mine;
    }
    other = std::move(waiting.front());
    waiting.pop_front();
  }
  transfer(sends ? *mine : *other, sends ? *other : *mine, sender, receiver);
  return mine;
}

Status Mailbox::wait(PendingMessage &post, const std::atomic<bool> &aborted) {
  while (post.done.load(std::memory_order_acquire) == 0) {
    if (aborted.load(std::memory_order_relaxed))
      return {};
    sleepWhile(post.done, 0);
  }
  sleepUntil(post.interval.end, aborted);
  return post.outcome;
}

} // namespace pcc::runtime::local
