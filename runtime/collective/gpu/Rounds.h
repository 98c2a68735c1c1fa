// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a member's collectives in its group: one round for each batch, in the order in which all
// members start them.

#ifndef PCC_RUNTIME_COLLECTIVE_GPU_ROUNDS_H
#define PCC_RUNTIME_COLLECTIVE_GPU_ROUNDS_H

#include "runtime/collective/gpu/Group.h"
#include "runtime/collective/gpu/RankStreams.h"

namespace pcc::runtime::gpu {

class Rounds {
public:
  Rounds(std::shared_ptr<Group> group, int place, std::shared_ptr<RankStreams> streams)
      : group(std::move(group)), place(place), streams(std::move(streams)) {}

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

  const std::shared_ptr<Group> group;
  const int place;
  const std::shared_ptr<RankStreams> streams;
};

} // namespace pcc::runtime::gpu

#endif // PCC_RUNTIME_COLLECTIVE_GPU_ROUNDS_H
