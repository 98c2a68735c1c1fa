// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A round has one event per member and one for the work; finished rounds are reused with their
// events. The last member checks that all calls agree before it enqueues them. It enqueues outside
// the lock, since no other member touches the round until `isEnqueued` is set.

#include "runtime/collective/gpu/SharedGpuGroup.h"

#include "runtime/collective/SameCalls.h"

namespace pcc::runtime::gpu {

/// Returns a round with its events. Call under the lock.
Expected<std::unique_ptr<Round>> Rounds::makeRound() {
  if (!group->idle.empty()) {
    std::unique_ptr<Round> round = std::move(group->idle.back());
    group->idle.pop_back();
    return round;
  }
  auto round = std::make_unique<Round>();
  round->calls.resize(group->ranks.size());
  for (size_t events = 0; events <= size(); ++events) {
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

/// Returns round `number`; the first member to arrive creates it. Call under the lock.
Expected<Round *> Rounds::findRound(uint64_t number) {
  if (auto known = group->rounds.find(number); known != group->rounds.end())
    return known->second.get();
  Expected<std::unique_ptr<Round>> made = makeRound();
  if (!made)
    return made.status();
  Round &round = **made;
  round.arrived = round.left = 0;
  round.isEnqueued = false;
  round.deviceSpan = {};
  group->rounds[number] = std::move(*made);
  return &round;
}

Status Rounds::reserve(std::span<const CollectiveCall> calls) {
  std::vector<Move> moves;
  for (const CollectiveCall &call : calls)
    if (!isPointToPoint(call.kind)) // all members make such a call
      addMoves(std::vector<const CollectiveCall *>(size(), &call), moves);
  return streams->collectives->reserve(moves);
}

Status Rounds::join(uint64_t number, std::span<const CollectiveCall> calls) {
  SharedState::Lock lock(group->sharedState->mutex);
  if (Status status = group->sharedState->status(); !status.ok())
    return status;
  Expected<Round *> found = findRound(number);
  if (!found)
    return found.status();
  Round &round = **found;
  round.calls[size_t(ownPosition)] = calls;
  if (Status status = streams->compute.record(round.ready[size_t(ownPosition)]); !status.ok())
    return status;
  if (++round.arrived < int(size()))
    return {};
  lock.unlock(); // no other member touches the round before it is enqueued
  round.outcome = enqueue(round);
  lock.lock();
  round.isEnqueued = true;
  group->sharedState->changed.notify_all();
  return {};
}

/// Enqueues the work of all members.
Status Rounds::enqueue(Round &round) {
  std::vector<Move> moves;
  if (Status status = checkCounts(round.calls, group->ranks); !status.ok())
    return status;
  for (size_t c = 0; c < round.calls[0].size(); ++c) {
    std::vector<const CollectiveCall *> members;
    for (std::span<const CollectiveCall> calls : round.calls)
      members.push_back(&calls[c]);
    if (Status status = checkSame(members, group->ranks); !status.ok())
      return status;
    addMoves(members, moves);
  }
  MoveQueue &queue = *streams->collectives;
  for (const cuda::Event &ready : round.ready)
    if (Status status = queue.stream().waitFor(ready); !status.ok())
      return status;
  round.deviceSpan.begin = streams->mark(queue);
  Status status = queue.enqueue(moves);
  round.deviceSpan.end = streams->mark(queue);
  return status.ok() ? queue.stream().record(*round.done) : status;
}

Status Rounds::leave(uint64_t number, TransferInterval &interval) {
  SharedState::Lock lock(group->sharedState->mutex);
  Round &round = *group->rounds.at(number);
  if (Status status = group->sharedState->wait(lock, [&] { return round.isEnqueued; });
      !status.ok())
    return status;
  addDeviceSpan(round.deviceSpan, interval);
  Status status = round.outcome.ok() ? streams->compute.waitFor(*round.done) : round.outcome;
  if (++round.left == int(size())) {
    group->idle.push_back(std::move(group->rounds.at(number)));
    group->rounds.erase(number);
  }
  return status;
}

} // namespace pcc::runtime::gpu
