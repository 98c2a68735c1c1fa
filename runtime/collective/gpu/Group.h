// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State shared by the members of a group on one GPU.

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_GROUP_H
#define PCC_RUNTIME_COLLECTIVE_GPU_GROUP_H

#include "runtime/collective/Communicator.h"
#include "runtime/device/cuda/driver/Event.h"

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
  TimestampSpan place = {};
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
  TimestampSpan place = {};
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

struct Group {
  Group(std::vector<int> ranks, std::shared_ptr<SharedState> sharedState)
      : ranks(std::move(ranks)), sharedState(std::move(sharedState)) {}

  /// Ranks of the process by position.
  const std::vector<int> ranks;
  const std::shared_ptr<SharedState> sharedState;

  // The following members are guarded by `sharedState->mutex`.
  /// Rounds by number, and idle rounds whose events can be reused.
  std::map<uint64_t, std::unique_ptr<Round>> rounds;
  std::vector<std::unique_ptr<Round>> idle;
  std::map<RouteKey, Route> routes;
  /// By number of the split: color and key by position, and the groups made of them.
  struct Split {
    std::vector<std::pair<int, int>> requests;
    int arrived = 0;
    std::map<int, std::shared_ptr<Group>> groups;
  };
  std::map<uint64_t, Split> splits;
};

} // namespace pcc::runtime::gpu

#endif // PCC_RUNTIME_COLLECTIVE_GPU_GROUP_H
