// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the messages of a member. The second of the two sides to arrive enqueues the copy.

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_POSTS_H
#define PCC_RUNTIME_COLLECTIVE_GPU_POSTS_H

#include "runtime/collective/gpu/Group.h"
#include "runtime/collective/gpu/RankStreams.h"

namespace pcc::runtime::gpu {

class Posts {
public:
  Posts(std::shared_ptr<Group> group, int place, std::shared_ptr<RankStreams> streams)
      : group(std::move(group)), place(place), streams(std::move(streams)) {}

  /// Posts the rank's sides of some messages. The calls must live until leave().
  Expected<std::vector<std::shared_ptr<Post>>> post(std::span<const CollectiveCall> calls);
  /// Orders the rank's further computation after the copy.
  Status leave(Post &post, TransferInterval &interval);

private:
  Expected<std::shared_ptr<Post>> post(const CollectiveCall &call,
                                       std::shared_ptr<cuda::Event> ready);
  Status transfer(Post &send, Post &receive);

  const std::shared_ptr<Group> group;
  const int place;
  const std::shared_ptr<RankStreams> streams;
};

} // namespace pcc::runtime::gpu

#endif // PCC_RUNTIME_COLLECTIVE_GPU_POSTS_H
