// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the communicator: a batch of collectives becomes a round, a batch of messages becomes
// posts. A split waits on the host until every member has given its color and key. All groups of a
// rank share its two communication streams, one for collectives and one for messages.

#include "runtime/collective/gpu/SharedGpu.h"

#include "runtime/collective/gpu/SharedGpuGroup.h"

#include <algorithm>
#include <numeric>

namespace pcc::runtime {
namespace gpu {
namespace {

/// A batch between start and wait: a round, or posts.
struct Batch {
  std::optional<uint64_t> round;
  std::vector<std::shared_ptr<Post>> posts;
};

class SharedGpuCommunicator final : public Communicator {
public:
  SharedGpuCommunicator(std::shared_ptr<SharedGpuGroup> group, int position,
                        std::shared_ptr<RankStreams> streams)
      : group(group), ownPosition(position), streams(streams), rounds(group, position, streams),
        posts(group, position, streams) {}

  int position() const override { return ownPosition; }
  int size() const override { return int(group->ranks.size()); }
  bool isEnqueued() const override { return true; }
  Status status() const override;
  Status reserve(std::span<const CollectiveCall> calls) override { return rounds.reserve(calls); }
  Expected<Request> start(std::span<const CollectiveCall> calls) override;
  Status wait(Request request, TransferInterval &interval) override;
  void abort(const std::string &reason) override;
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override;

private:
  const std::shared_ptr<SharedGpuGroup> group;
  const int ownPosition;
  const std::shared_ptr<RankStreams> streams;
  Rounds rounds;
  Posts posts;
  uint64_t started = 0, nextRound = 0, splits = 0;
  std::map<uint64_t, Batch> batches;
};

Expected<Request> SharedGpuCommunicator::start(std::span<const CollectiveCall> calls) {
  Request request{started++};
  Batch &batch = batches[request.number];
  if (!areMessages(calls)) {
    batch.round = nextRound++;
    if (Status status = rounds.join(*batch.round, calls); !status.ok())
      return status;
    return request;
  }
  Expected<std::vector<std::shared_ptr<Post>>> mine = posts.post(calls);
  if (!mine)
    return mine.status();
  batch.posts = std::move(*mine);
  return request;
}

Status SharedGpuCommunicator::wait(Request request, TransferInterval &interval) {
  interval = {};
  auto node = batches.extract(request.number);
  const Batch &batch = node.mapped();
  if (batch.round)
    return rounds.leave(*batch.round, interval);
  Status outcome;
  for (const std::shared_ptr<Post> &post : batch.posts)
    if (Status status = posts.leave(*post, interval); outcome.ok())
      outcome = std::move(status);
  return outcome;
}

Status SharedGpuCommunicator::status() const {
  SharedState::Lock lock(group->sharedState->mutex);
  return group->sharedState->status();
}

void SharedGpuCommunicator::abort(const std::string &reason) {
  SharedState &sharedState = *group->sharedState;
  SharedState::Lock lock(sharedState.mutex);
  if (!sharedState.isAborted)
    sharedState.reason = reason;
  sharedState.isAborted = true;
  sharedState.changed.notify_all();
}

Expected<std::unique_ptr<Communicator>> SharedGpuCommunicator::split(int color, int key) {
  SharedState::Lock lock(group->sharedState->mutex);
  SharedGpuGroup::Split &split = group->splits[splits++];
  split.choices.resize(group->ranks.size());
  split.choices[size_t(ownPosition)] = {color, key};
  ++split.arrived;
  group->sharedState->changed.notify_all();
  if (Status status = group->sharedState->wait(lock, [&] { return split.arrived == size(); });
      !status.ok())
    return status;
  std::vector<int> members = membersOfColor(split.choices, color), ranks;
  for (int member : members)
    ranks.push_back(group->ranks[size_t(member)]);
  std::shared_ptr<SharedGpuGroup> &child = split.groups[color];
  if (!child)
    child = std::make_shared<SharedGpuGroup>(std::move(ranks), group->sharedState);
  int position = int(std::find(members.begin(), members.end(), ownPosition) - members.begin());
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
    : all(std::make_shared<gpu::SharedGpuGroup>(gpu::firstNumbers(ranks),
                                                std::make_shared<gpu::SharedState>())) {}

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
