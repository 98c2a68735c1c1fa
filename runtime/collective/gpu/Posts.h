// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A member's messages. Whoever comes second of the two sides enqueues the copy.

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_POSTS_H
#define PCC_RUNTIME_COLLECTIVE_GPU_POSTS_H

#include "runtime/collective/gpu/Group.h"
#include "runtime/collective/gpu/RankStreams.h"

namespace pcc::runtime::gpu {

class Posts {
public:
  Posts(std::shared_ptr<Group> group, int place, std::shared_ptr<RankStreams> streams)
      : group(std::move(group)), place(place), streams(std::move(streams)) {}

  /// The rank's sides of some messages, which must live until they are left.
  Expected<std::vector<std::shared_ptr<Post>>> post(std::span<const CollectiveCall> calls);
  /// Puts what the rank computes next behind the copy.
  Status leave(Post &post, Passage &passage);

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
