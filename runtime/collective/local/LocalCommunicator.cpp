// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives go through a ring of rendezvous: a member's n-th batch of collectives uses entry n %
// depth. If the entry is in use, start() first waits for the earlier batch. Messages go through the
// group's mailbox. A split exchanges the members' choices in a shared map, with a barrier in
// between.

#include "runtime/collective/local/LocalCommunicator.h"

#include "runtime/base/Sleep.h"
#include "runtime/check/match/RendezvousSchedule.h"
#include "runtime/collective/CallBytes.h"
#include "runtime/collective/SameCalls.h"
#include "runtime/collective/local/BatchRendezvous.h"
#include "runtime/collective/local/EmulatedLink.h"
#include "runtime/collective/local/NonTemporalStore.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

namespace pcc::runtime {
namespace local {
namespace {

/// Batches that a member may have in flight; starting one more waits for the oldest.
constexpr uint64_t depth = check::maxInFlight;

/// Whether the run was aborted, shared by all communicators of a process.
struct Abort {
  std::atomic<bool> happened = false;
  std::mutex mutex;
  std::string reason;
};

/// One side of a transfer that waits for the other.
struct PendingMessage {
  const CollectiveCall *call;
  /// Returned by both sides; set before `done`.
  Status outcome;
  /// The transfer interval, real or over the emulated link; set before `done`.
  TransferInterval interval;
  std::atomic<uint32_t> done = 0;
};

/// Matches sends and receives between threads: the second side to arrive copies directly from the
/// sender's buffer to the receiver's. Sends from one rank to another under one tag arrive in order.
///
/// Each sender, receiver and tag has two queues, and at most one of them is non-empty. One lock
/// guards all queues. The copy runs outside the lock, on the thread of the side that arrives
/// second.
class Mailbox {
public:
  /// `ranks` is indexed by position. `link` is null if the ranks are joined by memory alone.
  Mailbox(std::vector<int> ranks, EmulatedLink *link) : ranks(std::move(ranks)), link(link) {}

  /// Posts the side `call` of the member at `position`.
  std::shared_ptr<PendingMessage> post(int position, const CollectiveCall &call);

  /// Sleeps until the message is copied and has arrived, or `aborted` is true.
  static Status wait(PendingMessage &post, const std::atomic<bool> &aborted);

private:
  /// Sender, receiver, tag.
  using Route = std::tuple<int, int, uint32_t>;
  struct Queues {
    std::deque<std::shared_ptr<PendingMessage>> sends, receives;
  };

  void transfer(PendingMessage &send, PendingMessage &receive, int sender, int receiver) const;

  const std::vector<int> ranks;
  EmulatedLink *const link;
  std::mutex mutex;
  std::map<Route, Queues> routes;
};

void moveBytes(const CollectiveCall &from, const CollectiveCall &to, int64_t bytes) {
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

/// State shared by the members of one group.
struct LocalGroup {
  LocalGroup(std::vector<int> ranks, WaitPolicy policy, std::shared_ptr<Abort> abort,
             std::shared_ptr<EmulatedLink> link)
      : ranks(ranks), policy(policy), abort(std::move(abort)), link(std::move(link)),
        mailbox(ranks, this->link.get()) {
    for (uint64_t i = 0; i < depth; ++i)
      rendezvousRing.push_back(std::make_unique<BatchRendezvous>(ranks, policy, this->link.get()));
  }

  /// Ranks of the process by position, for messages.
  const std::vector<int> ranks;
  const WaitPolicy policy;
  const std::shared_ptr<Abort> abort;
  /// Null: no emulated link.
  const std::shared_ptr<EmulatedLink> link;
  std::vector<std::unique_ptr<BatchRendezvous>> rendezvousRing;
  Mailbox mailbox;

  /// By number of the split: the choices by position, and the groups made of them.
  std::mutex splitMutex;
  std::map<uint64_t, std::vector<SplitChoice>> choices;
  std::map<std::pair<uint64_t, int>, std::shared_ptr<LocalGroup>> children;
};

class LocalCommunicator final : public Communicator {
public:
  LocalCommunicator(std::shared_ptr<LocalGroup> group, int position)
      : group(std::move(group)), ownPosition(position) {}

  int position() const override { return ownPosition; }
  int size() const override { return int(group->ranks.size()); }
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, TransferInterval &interval) override;
  void abort(const std::string &reason) override;
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  /// A batch between start and wait: a round of a rendezvous, or posts of a mailbox.
  struct Batch {
    bool open = false;
    uint64_t round = 0;
    std::vector<std::shared_ptr<PendingMessage>> posts;
    /// The outcome and the transfer interval, if a later start had to wait for the batch.
    Status outcome;
    TransferInterval interval;
  };
  Status complete(uint64_t number);
  Status afterWait(Status status) const;
  std::shared_ptr<LocalGroup> childOf(int color, std::vector<int> &members);

  std::shared_ptr<LocalGroup> group;
  const int ownPosition;
  uint64_t started = 0;
  /// Rounds are counted separately from batches: posts take no round.
  uint64_t rounds = 0;
  uint64_t splits = 0;
  std::map<uint64_t, Batch> batches;
};

Expected<Request> LocalCommunicator::start(std::span<const CollectiveCall> calls) {
  if (Status status = afterWait({}); !status.ok())
    return status;
  Request request{started++};
  if (areMessages(calls)) {
    Batch &batch = batches[request.number];
    for (const CollectiveCall &call : calls)
      batch.posts.push_back(group->mailbox.post(ownPosition, call));
    return request;
  }
  for (auto &[number, batch] : batches)
    if (batch.open && batch.round + depth == rounds)
      if (Status status = complete(number); !status.ok())
        return status;
  Batch &batch = batches[request.number];
  batch.open = true;
  batch.round = rounds++;
  group->rendezvousRing[batch.round % depth]->arrive(uint32_t(batch.round / depth), ownPosition,
                                                     calls);
  return request;
}

Status LocalCommunicator::complete(uint64_t number) {
  Batch &batch = batches.at(number);
  const std::atomic<bool> &aborted = group->abort->happened;
  if (batch.open) {
    BatchRendezvous &rendezvous = *group->rendezvousRing[batch.round % depth];
    batch.outcome =
        afterWait(rendezvous.wait(uint32_t(batch.round / depth), aborted, batch.interval));
    batch.open = false;
  }
  for (const std::shared_ptr<PendingMessage> &post : batch.posts) {
    if (Status status = afterWait(Mailbox::wait(*post, aborted)); batch.outcome.ok())
      batch.outcome = status;
    TransferInterval &all = batch.interval;
    all.begin = all.begin == 0 ? post->interval.begin : std::min(all.begin, post->interval.begin);
    all.end = std::max(all.end, post->interval.end);
  }
  batch.posts.clear();
  return batch.outcome;
}

Status LocalCommunicator::wait(Request request, TransferInterval &interval) {
  Status status = complete(request.number);
  interval = batches.at(request.number).interval;
  batches.erase(request.number);
  return status;
}

Status LocalCommunicator::afterWait(Status status) const {
  Abort &abort = *group->abort;
  if (!status.ok() || !abort.happened.load(std::memory_order_acquire))
    return status;
  std::lock_guard lock(abort.mutex);
  return {StatusKind::Aborted, abort.reason};
}

void LocalCommunicator::abort(const std::string &reason) {
  Abort &abort = *group->abort;
  std::lock_guard lock(abort.mutex);
  if (!abort.happened.load())
    abort.reason = reason;
  abort.happened.store(true, std::memory_order_release);
}

std::shared_ptr<LocalGroup> LocalCommunicator::childOf(int color, std::vector<int> &members) {
  std::lock_guard lock(group->splitMutex);
  members = membersOfColor(group->choices[splits], color);
  std::vector<int> ranks;
  for (int member : members)
    ranks.push_back(group->ranks[member]);
  std::shared_ptr<LocalGroup> &child = group->children[{splits, color}];
  if (!child)
    child =
        std::make_shared<LocalGroup>(std::move(ranks), group->policy, group->abort, group->link);
  return child;
}

Expected<std::unique_ptr<Communicator>> LocalCommunicator::split(int color, int key) {
  {
    std::lock_guard lock(group->splitMutex);
    std::vector<SplitChoice> &choices = group->choices[splits];
    choices.resize(size());
    choices[ownPosition] = {color, key};
  }
  if (Status status = barrier(); !status.ok())
    return status;
  std::vector<int> members;
  std::shared_ptr<LocalGroup> child = childOf(color, members);
  ++splits;
  int position = int(std::find(members.begin(), members.end(), ownPosition) - members.begin());
  return std::unique_ptr<Communicator>(
      std::make_unique<LocalCommunicator>(std::move(child), position));
}

} // namespace
} // namespace local

std::vector<std::unique_ptr<Communicator>>
makeLocalCommunicators(int ranks, int cores, const std::optional<machine::UniformLink> &link) {
  if (cores <= 0)
    cores = std::max(1u, std::thread::hardware_concurrency());
  // A rank with a core of its own may spin for some microseconds before it sleeps.
  local::WaitPolicy policy{.spins = ranks <= cores ? 2000 : 0,
                           .helpers = std::min(cores, ranks) - 1};
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  auto emulated = link ? std::make_shared<local::EmulatedLink>(*link, ranks) : nullptr;
  auto group = std::make_shared<local::LocalGroup>(
      std::move(all), policy, std::make_shared<local::Abort>(), std::move(emulated));
  std::vector<std::unique_ptr<Communicator>> communicators;
  for (int r = 0; r < ranks; ++r)
    communicators.push_back(std::make_unique<local::LocalCommunicator>(group, r));
  return communicators;
}

} // namespace pcc::runtime
