// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the members of a group that share a GPU have in common.

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

/// Of all groups of a process: the lock of all that they share, and whether the run was given up.
struct Meeting {
  using Lock = std::unique_lock<std::mutex>;
  std::mutex mutex;
  std::condition_variable changed;
  bool isAborted = false;
  std::string reason;

  // Under the lock.
  /// Aborted once the run was given up.
  Status status() const { return isAborted ? Status(StatusKind::Aborted, reason) : Status(); }
  /// Sleeps until something is so, or the run was given up, which is the error.
  template <typename IsReached> Status wait(Lock &lock, IsReached isReached) {
    changed.wait(lock, [&] { return isAborted || isReached(); });
    return status();
  }
};

/// A batch of collectives, from the first member that comes to the last that leaves.
struct Round {
  /// By position.
  std::vector<std::span<const CollectiveCall>> calls;
  std::vector<cuda::Event> ready;
  int arrived = 0, left = 0;
  /// Behind the work, once it is enqueued, with what came of that.
  std::optional<cuda::Event> done;
  /// Of the work, if somebody wants to know when it was.
  MarkedSpan place = {};
  bool isEnqueued = false;
  Status outcome;
};

/// One side of a message.
struct Post {
  const CollectiveCall *call = nullptr;
  int rank = 0;
  std::shared_ptr<cuda::Event> ready;
  /// Of both sides, as in a round.
  std::shared_ptr<cuda::Event> done = {};
  MarkedSpan place = {};
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
  Group(std::vector<int> ranks, std::shared_ptr<Meeting> meeting)
      : ranks(std::move(ranks)), meeting(std::move(meeting)) {}

  /// Ranks of the process by position.
  const std::vector<int> ranks;
  const std::shared_ptr<Meeting> meeting;

  // The rest under the meeting's lock.
  /// By number, and some whose events can be used again.
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
