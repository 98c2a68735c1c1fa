// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/gpu/SharedGpu.h"

#include "runtime/collective/gpu/Group.h"
#include "runtime/collective/gpu/MoveQueue.h"
#include "runtime/collective/local/Pieces.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/Stream.h"

#include <algorithm>
#include <numeric>

namespace pcc::runtime {
namespace gpu {
namespace {

using Lock = std::unique_lock<std::mutex>;

/// A rank's streams: its own, and those of its collectives and messages.
struct RankStreams {
  cuda::Stream &compute;
  std::unique_ptr<MoveQueue> collectives, messages;
  /// Null: nobody wants to know when something was.
  cuda::EventClock *clock;

  Mark mark(MoveQueue &queue) const { return clock ? clock->mark(queue.stream().get()) : nullptr; }
};

/// A batch between start and wait: a round, or posts.
struct Batch {
  std::optional<uint64_t> round;
  std::vector<std::shared_ptr<Post>> posts;
};

class SharedGpuCommunicator final : public Communicator {
public:
  SharedGpuCommunicator(std::shared_ptr<Group> group, int position,
                        std::shared_ptr<RankStreams> streams)
      : group(std::move(group)), place(position), streams(std::move(streams)) {}

  int position() const override { return place; }
  int size() const override { return int(group->ranks.size()); }
  bool isEnqueued() const override { return true; }
  Status status() const override;
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, Passage &passage) override;
  void abort(const std::string &reason) override;
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  Status join(uint64_t number, std::span<const CollectiveCall> calls);
  Expected<std::unique_ptr<Round>> makeRound();
  Expected<Round *> findRound(uint64_t number);
  Status enqueue(Round &round);
  Status leave(uint64_t number, Passage &passage);
  Expected<std::shared_ptr<Post>> post(const CollectiveCall &call,
                                       std::shared_ptr<cuda::Event> ready);
  Status transfer(Post &send, Post &receive);
  Status leave(Post &post, Passage &passage);
  template <typename IsReached> Status sleepUntil(Lock &lock, IsReached isReached);

  const std::shared_ptr<Group> group;
  const int place;
  const std::shared_ptr<RankStreams> streams;
  uint64_t started = 0, rounds = 0, splits = 0;
  std::map<uint64_t, Batch> batches;
};

/// Error: the run was given up.
template <typename IsReached>
Status SharedGpuCommunicator::sleepUntil(Lock &lock, IsReached isReached) {
  Meeting &meeting = *group->meeting;
  meeting.changed.wait(lock, [&] { return meeting.isAborted || isReached(); });
  return meeting.isAborted ? Status(StatusKind::Aborted, meeting.reason) : Status();
}

Expected<Request> SharedGpuCommunicator::start(std::span<const CollectiveCall> calls) {
  Request request{started++};
  Batch &batch = batches[request.number];
  bool isMessage = !calls.empty() && (calls[0].kind == abi::SEND || calls[0].kind == abi::RECV);
  if (!isMessage) {
    batch.round = rounds++;
    if (Status status = join(*batch.round, calls); !status.ok())
      return status;
    return request;
  }
  Expected<cuda::Event> ready = cuda::Event::make(streams->compute.gpu);
  if (!ready)
    return ready.status();
  if (Status status = streams->compute.record(*ready); !status.ok())
    return status;
  auto shared = std::make_shared<cuda::Event>(std::move(*ready));
  for (const CollectiveCall &call : calls) {
    Expected<std::shared_ptr<Post>> mine = post(call, shared);
    if (!mine)
      return mine.status();
    batch.posts.push_back(std::move(*mine));
  }
  return request;
}

/// A round with its events. Under the lock.
Expected<std::unique_ptr<Round>> SharedGpuCommunicator::makeRound() {
  if (!group->idle.empty()) {
    std::unique_ptr<Round> round = std::move(group->idle.back());
    group->idle.pop_back();
    return round;
  }
  auto round = std::make_unique<Round>();
  round->calls.resize(group->ranks.size());
  for (int events = 0; events <= size(); ++events) {
    Expected<cuda::Event> event = cuda::Event::make(streams->compute.gpu);
    if (!event)
      return event.status();
    if (events < size())
      round->ready.push_back(std::move(*event));
    else
      round->done = std::move(*event);
  }
  return round;
}

/// The round of a number, which the first member to come makes. Under the lock.
Expected<Round *> SharedGpuCommunicator::findRound(uint64_t number) {
  if (auto known = group->rounds.find(number); known != group->rounds.end())
    return known->second.get();
  Expected<std::unique_ptr<Round>> made = makeRound();
  if (!made)
    return made.status();
  Round &round = **made;
  round.arrived = round.left = 0;
  round.isEnqueued = false;
  round.place = {};
  group->rounds[number] = std::move(*made);
  return &round;
}

Status SharedGpuCommunicator::join(uint64_t number, std::span<const CollectiveCall> calls) {
  Lock lock(group->meeting->mutex);
  if (group->meeting->isAborted)
    return {StatusKind::Aborted, group->meeting->reason};
  Expected<Round *> found = findRound(number);
  if (!found)
    return found.status();
  Round &round = **found;
  round.calls[size_t(place)] = calls;
  if (Status status = streams->compute.record(round.ready[size_t(place)]); !status.ok())
    return status;
  if (++round.arrived < size())
    return {};
  lock.unlock(); // nobody else looks at the round before it is enqueued
  round.outcome = enqueue(round);
  lock.lock();
  round.isEnqueued = true;
  group->meeting->changed.notify_all();
  return {};
}

/// Enqueues the work of all members.
Status SharedGpuCommunicator::enqueue(Round &round) {
  std::vector<Move> moves;
  if (Status status = local::checkCounts(round.calls, group->ranks); !status.ok())
    return status;
  for (size_t c = 0; c < round.calls[0].size(); ++c) {
    std::vector<const CollectiveCall *> members;
    for (std::span<const CollectiveCall> calls : round.calls)
      members.push_back(&calls[c]);
    if (Status status = local::checkSame(members, group->ranks); !status.ok())
      return status;
    addMoves(members, moves);
  }
  MoveQueue &queue = *streams->collectives;
  for (const cuda::Event &ready : round.ready)
    if (Status status = queue.stream().waitFor(ready); !status.ok())
      return status;
  round.place.begin = streams->mark(queue);
  Status status = queue.enqueue(moves);
  round.place.end = streams->mark(queue);
  return status.ok() ? queue.stream().record(*round.done) : status;
}

Status SharedGpuCommunicator::wait(Request request, Passage &passage) {
  passage = {};
  auto node = batches.extract(request.number);
  const Batch &batch = node.mapped();
  if (batch.round)
    return leave(*batch.round, passage);
  Status outcome;
  for (const std::shared_ptr<Post> &post : batch.posts)
    if (Status status = leave(*post, passage); outcome.ok())
      outcome = std::move(status);
  return outcome;
}

/// Adds a place that somebody marked.
void addPlace(const MarkedSpan &place, Passage &passage) {
  if (place.begin && place.end)
    passage.places.push_back(place);
}

Status SharedGpuCommunicator::leave(uint64_t number, Passage &passage) {
  Lock lock(group->meeting->mutex);
  Round &round = *group->rounds.at(number);
  if (Status status = sleepUntil(lock, [&] { return round.isEnqueued; }); !status.ok())
    return status;
  addPlace(round.place, passage);
  Status status = round.outcome.ok() ? streams->compute.waitFor(*round.done) : round.outcome;
  if (++round.left == size()) {
    group->idle.push_back(std::move(group->rounds.at(number)));
    group->rounds.erase(number);
  }
  return status;
}

Expected<std::shared_ptr<Post>> SharedGpuCommunicator::post(const CollectiveCall &call,
                                                            std::shared_ptr<cuda::Event> ready) {
  bool sends = call.kind == abi::SEND;
  auto mine = std::make_shared<Post>(
      Post{.call = &call, .rank = group->ranks[size_t(place)], .ready = std::move(ready)});
  Lock lock(group->meeting->mutex);
  if (group->meeting->isAborted)
    return Status(StatusKind::Aborted, group->meeting->reason);
  Route &route = group->routes[{sends ? place : call.root, sends ? call.root : place, call.tag}];
  std::deque<std::shared_ptr<Post>> &others = sends ? route.receives : route.sends;
  if (others.empty()) {
    (sends ? route.sends : route.receives).push_back(mine);
    return mine;
  }
  std::shared_ptr<Post> other = std::move(others.front());
  others.pop_front();
  lock.unlock();
  Status outcome = sends ? transfer(*mine, *other) : transfer(*other, *mine);
  lock.lock();
  mine->outcome = other->outcome = std::move(outcome);
  mine->isEnqueued = other->isEnqueued = true;
  group->meeting->changed.notify_all();
  return mine;
}

Status SharedGpuCommunicator::transfer(Post &send, Post &receive) {
  const CollectiveCall &from = *send.call, &to = *receive.call;
  if (Status status = local::checkMessage(from, send.rank, to, receive.rank); !status.ok())
    return status;
  Expected<cuda::Event> done = cuda::Event::make(streams->compute.gpu);
  if (!done)
    return done.status();
  std::vector<Move> moves;
  addMessage(from, to, moves);
  MoveQueue &queue = *streams->messages;
  Status status;
  for (const Post *side : {&send, &receive})
    if (status.ok())
      status = queue.stream().waitFor(*side->ready);
  MarkedSpan place{.begin = streams->mark(queue)};
  if (status.ok())
    status = queue.enqueue(moves);
  place.end = streams->mark(queue);
  if (status.ok())
    status = queue.stream().record(*done);
  send.place = receive.place = place;
  send.done = receive.done = std::make_shared<cuda::Event>(std::move(*done));
  return status;
}

Status SharedGpuCommunicator::leave(Post &post, Passage &passage) {
  Lock lock(group->meeting->mutex);
  if (Status status = sleepUntil(lock, [&] { return post.isEnqueued; }); !status.ok())
    return status;
  addPlace(post.place, passage);
  return post.outcome.ok() ? streams->compute.waitFor(*post.done) : post.outcome;
}

Status SharedGpuCommunicator::status() const {
  Lock lock(group->meeting->mutex);
  return group->meeting->isAborted ? Status(StatusKind::Aborted, group->meeting->reason) : Status();
}

void SharedGpuCommunicator::abort(const std::string &reason) {
  Meeting &meeting = *group->meeting;
  Lock lock(meeting.mutex);
  if (!meeting.isAborted)
    meeting.reason = reason;
  meeting.isAborted = true;
  meeting.changed.notify_all();
}

Expected<std::unique_ptr<Communicator>> SharedGpuCommunicator::split(int color, int key) {
  Lock lock(group->meeting->mutex);
  Group::Split &split = group->splits[splits++];
  split.requests.resize(group->ranks.size());
  split.requests[size_t(place)] = {color, key};
  ++split.arrived;
  group->meeting->changed.notify_all();
  if (Status status = sleepUntil(lock, [&] { return split.arrived == size(); }); !status.ok())
    return status;
  std::vector<int> members, ranks;
  for (int p = 0; p < size(); ++p)
    if (split.requests[size_t(p)].first == color)
      members.push_back(p);
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return split.requests[size_t(a)].second < split.requests[size_t(b)].second;
  });
  for (int member : members)
    ranks.push_back(group->ranks[size_t(member)]);
  std::shared_ptr<Group> &child = split.groups[color];
  if (!child)
    child = std::make_shared<Group>(std::move(ranks), group->meeting);
  int position = int(std::find(members.begin(), members.end(), place) - members.begin());
  return std::unique_ptr<Communicator>(
      std::make_unique<SharedGpuCommunicator>(child, position, streams));
}

std::vector<int> firstNumbers(int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

} // namespace
} // namespace gpu

SharedGpu::SharedGpu(int ranks)
    : all(std::make_shared<gpu::Group>(gpu::firstNumbers(ranks),
                                       std::make_shared<gpu::Meeting>())) {}

Expected<std::unique_ptr<Communicator>> SharedGpu::join(int rank, cuda::RankParts parts) const {
  auto collectives = gpu::MoveQueue::make(parts.stream.gpu, parts.code);
  if (!collectives)
    return collectives.status();
  auto messages = gpu::MoveQueue::make(parts.stream.gpu, parts.code);
  if (!messages)
    return messages.status();
  auto streams = std::make_shared<gpu::RankStreams>(
      gpu::RankStreams{parts.stream, std::move(*collectives), std::move(*messages), parts.clock});
  return std::unique_ptr<Communicator>(
      std::make_unique<gpu::SharedGpuCommunicator>(all, rank, std::move(streams)));
}

} // namespace pcc::runtime
