// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches messages by sender, receiver and tag, in order of arrival. The side that arrives second
// enqueues the copy on its own message stream, outside the lock. That stream first waits for the
// `ready` events of both sides.

#include "runtime/collective/gpu/SharedGpuGroup.h"

#include "runtime/collective/SameCalls.h"

namespace pcc::runtime::gpu {

Expected<std::vector<std::shared_ptr<Post>>> Posts::post(std::span<const CollectiveCall> calls) {
  Expected<cuda::Event> ready = cuda::Event::make(streams->compute.gpu);
  if (!ready)
    return ready.status();
  if (Status status = streams->compute.record(*ready); !status.ok())
    return status;
  auto shared = std::make_shared<cuda::Event>(std::move(*ready));
  std::vector<std::shared_ptr<Post>> posts;
  for (const CollectiveCall &call : calls) {
    Expected<std::shared_ptr<Post>> mine = post(call, shared);
    if (!mine)
      return mine.status();
    posts.push_back(std::move(*mine));
  }
  return posts;
}

Expected<std::shared_ptr<Post>> Posts::post(const CollectiveCall &call,
                                            std::shared_ptr<cuda::Event> ready) {
  bool sends = call.kind == abi::SEND;
  auto mine = std::make_shared<Post>(
      Post{.call = &call, .rank = group->ranks[size_t(ownPosition)], .ready = std::move(ready)});
  SharedState::Lock lock(group->sharedState->mutex);
  if (Status status = group->sharedState->status(); !status.ok())
    return status;
  Route &route =
      group->routes[{sends ? ownPosition : call.root, sends ? call.root : ownPosition, call.tag}];
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
  group->sharedState->changed.notify_all();
  return mine;
}

Status Posts::transfer(Post &send, Post &receive) {
  const CollectiveCall &from = *send.call, &to = *receive.call;
  if (Status status = checkMessage(from, send.rank, to, receive.rank); !status.ok())
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
  TimestampSpan deviceSpan{.begin = streams->mark(queue)};
  if (status.ok())
    status = queue.enqueue(moves);
  deviceSpan.end = streams->mark(queue);
  if (status.ok())
    status = queue.stream().record(*done);
  send.deviceSpan = receive.deviceSpan = deviceSpan;
  send.done = receive.done = std::make_shared<cuda::Event>(std::move(*done));
  return status;
}

Status Posts::leave(Post &post, TransferInterval &interval) {
  SharedState::Lock lock(group->sharedState->mutex);
  if (Status status = group->sharedState->wait(lock, [&] { return post.isEnqueued; }); !status.ok())
    return status;
  addDeviceSpan(post.deviceSpan, interval);
  return post.outcome.ok() ? streams->compute.waitFor(*post.done) : post.outcome;
}

} // namespace pcc::runtime::gpu
