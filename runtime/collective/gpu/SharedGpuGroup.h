// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of ranks on one GPU: the state that its members share, and how a member runs collectives
// (Rounds) and messages (Posts) in it.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/collective/gpu/MoveQueue.h"
#include "runtime/device/cuda/driver/Event.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/Stream.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace pcc::runtime::gpu {

/// State of all groups of a process: the lock of everything that they share, and whether the run
/// was aborted.
struct SharedState {
  using Lock = std::unique_lock<std::mutex>;
  std::mutex mutex;
  std::condition_variable changed;
  bool isAborted = false;
  std::string reason;

  // Call the following functions under the lock.
  /// Returns Aborted after the run was aborted.
  Status status() const { return isAborted ? Status(StatusKind::Aborted, reason) : Status(); }
  /// Sleeps until `isReached` returns true, or the run was aborted, which is the error.
  template <typename IsReached> Status wait(Lock &lock, IsReached isReached) {
    changed.wait(lock, [&] { return isAborted || isReached(); });
    return status();
  }
};

/// A batch of collectives, from the arrival of the first member until the last one leaves.
struct Round {
  /// By position.
  std::vector<std::span<const CollectiveCall>> calls;
  std::vector<cuda::Event> ready;
  int arrived = 0, left = 0;
  /// Recorded after the work, once it is enqueued; `outcome` is the status of enqueueing.
  std::optional<cuda::Event> done;
  /// Interval of the work, if times are recorded.
  TimestampSpan deviceSpan = {};
  bool isEnqueued = false;
  Status outcome;
};

/// One side of a message.
struct Post {
  const CollectiveCall *call = nullptr;
  int rank = 0;
  std::shared_ptr<cuda::Event> ready;
  /// Set on both sides, as in a round.
  std::shared_ptr<cuda::Event> done = {};
  TimestampSpan deviceSpan = {};
  bool isEnqueued = false;
  Status outcome = {};
};

/// Posts that wait for their other side, from one member to another under a tag.
struct Route {
  std::deque<std::shared_ptr<Post>> sends, receives;
};
struct RouteKey {
  int sender, receiver;
  uint32_t tag;
  auto operator<=>(const RouteKey &) const = default;
};

struct SharedGpuGroup {
  SharedGpuGroup(std::vector<int> ranks, std::shared_ptr<SharedState> sharedState)
      : ranks(std::move(ranks)), sharedState(std::move(sharedState)) {}

  /// Ranks of the process by position.
  const std::vector<int> ranks;
  const std::shared_ptr<SharedState> sharedState;

  // The following members are guarded by `sharedState->mutex`.
  /// Rounds by number, and idle rounds whose events can be reused.
  std::map<uint64_t, std::unique_ptr<Round>> rounds;
  std::vector<std::unique_ptr<Round>> idle;
  std::map<RouteKey, Route> routes;
  /// By number of the split: the choices by position, and the groups made of them.
  struct Split {
    std::vector<SplitChoice> choices;
    int arrived = 0;
    std::map<int, std::shared_ptr<SharedGpuGroup>> groups;
  };
  std::map<uint64_t, Split> splits;
};

/// The streams of a rank: its compute stream, and those of its collectives and messages.
struct RankStreams {
  cuda::Stream &compute;
  std::unique_ptr<MoveQueue> collectives, messages;
  /// Null: no times are recorded.
  cuda::EventClock *clock;

  TimestampHandle mark(MoveQueue &queue) const {
    return clock ? clock->mark(queue.stream().get()) : nullptr;
  }
};

/// Adds an interval if times are recorded, that is, if both its ends exist.
inline void addDeviceSpan(const TimestampSpan &deviceSpan, TransferInterval &interval) {
  if (deviceSpan.begin && deviceSpan.end)
    interval.deviceSpans.push_back(deviceSpan);
}

/// Runs a member's collectives in its group: one round for each batch, in the order in which all
/// members start them.
class Rounds {
public:
  Rounds(std::shared_ptr<SharedGpuGroup> group, int ownPosition,
         std::shared_ptr<RankStreams> streams)
      : group(std::move(group)), ownPosition(ownPosition), streams(std::move(streams)) {}

  /// Allocates the memory that a round of such calls needs. Any member may need it, since the last
  /// one to arrive enqueues the work.
  Status reserve(std::span<const CollectiveCall> calls);
  /// Joins round `number`; the last member to arrive enqueues the work of all.
  Status join(uint64_t number, std::span<const CollectiveCall> calls);
  /// Orders the rank's further computation after the work.
  Status leave(uint64_t number, TransferInterval &interval);

private:
  size_t size() const { return group->ranks.size(); }
  Expected<std::unique_ptr<Round>> makeRound();
  Expected<Round *> findRound(uint64_t number);
  Status enqueue(Round &round);

  const std::shared_ptr<SharedGpuGroup> group;
  const int ownPosition;
  const std::shared_ptr<RankStreams> streams;
};

/// Matches the messages of a member. The second of the two sides to arrive enqueues the copy.
class Posts {
public:
  Posts(std::shared_ptr<SharedGpuGroup> group, int ownPosition,
        std::shared_ptr<RankStreams> streams)
      : group(std::move(group)), ownPosition(ownPosition), streams(std::move(streams)) {}

  /// Posts the rank's sides of some messages. The calls must live until leave().
  Expected<std::vector<std::shared_ptr<Post>>> post(std::span<const CollectiveCall> calls);
  /// Orders the rank's further computation after the copy.
  Status leave(Post &post, TransferInterval &interval);

private:
  Expected<std::shared_ptr<Post>> post(const CollectiveCall &call,
                                       std::shared_ptr<cuda::Event> ready);
  Status transfer(Post &send, Post &receive);

  const std::shared_ptr<SharedGpuGroup> group;
  const int ownPosition;
  const std::shared_ptr<RankStreams> streams;
};

} // namespace pcc::runtime::gpu
