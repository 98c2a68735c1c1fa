// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All-gathers: every member gets the blocks of all members. One member's blocks of all calls in the
// message are contiguous.

#include "runtime/collective/local/Boxes.h"
#include "runtime/collective/mpi/Operation.h"
#include "runtime/collective/mpi/Parts.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::mpi {
namespace {

class AllGather final : public Operation {
public:
  AllGather(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(std::move(ownCalls)), each(elementsOf(calls[0])) {
    std::vector<int64_t> elements;
    for (const std::vector<int> &positions : members.positionsOf)
      elements.push_back(int64_t(positions.size()) * each);
    parts = Parts(elements);
    isDirect = calls[0].size() == 1 && comesInOrder(*calls[0][0]);
    if (calls.size() > 1 || calls[0].size() > 1)
      sent = Staging(pool, int64_t(calls.size()) * each * width());
    if (!isDirect)
      received = Staging(pool, parts.total() * width());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    std::byte *next = sent.data();
    if (next)
      for (const PackedCalls &own : calls)
        next = pack(own, 0, each, next);
    return channel.mpi.all_gather(sent.data() ? sent.data() : sourceOf(*calls[0][0]),
                                  parts.counts[members.own], target(), parts.counts.data(),
                                  parts.offsets.data(), width(), channel.group, &request);
  }

  void afterFirst() override {
    for (const PackedCalls &own : calls)
      if (!isDirect)
        place(own);
      else if (destinationOf(*own[0]) != target())
        std::memcpy(destinationOf(*own[0]), target(), parts.total() * width());
  }

private:
  int32_t width() const { return widthOf(*calls[0][0]); }
  std::byte *target() const { return isDirect ? destinationOf(*calls[0][0]) : received.data(); }

  /// Returns whether the members' blocks are contiguous in the destination, in order of arrival.
  bool comesInOrder(const CollectiveCall &call) const {
    return std::is_sorted(members.processOf.begin(), members.processOf.end()) &&
           std::all_of(call.shape.begin(), call.shape.begin() + call.axis,
                       [](int64_t extent) { return extent == 1; });
  }

  void place(const PackedCalls &own) const {
    const std::byte *next = received.data();
    for (const std::vector<int> &positions : members.positionsOf)
      for (int position : positions)
        for (const CollectiveCall *call : own)
          next = placeBlock(*call, position, next);
  }

  /// Places a member's block along the axis of the destination. Returns the end of the block.
  const std::byte *placeBlock(const CollectiveCall &call, int position,
                              const std::byte *block) const {
    std::vector<int64_t> whole = call.shape, zero(call.shape.size(), 0), start = zero;
    whole[call.axis] *= members.size();
    start[call.axis] = position * call.shape[call.axis];
    local::moveBox({block, call.shape, zero}, {destinationOf(call), whole, start}, call.shape,
                   call.type);
    return block + bytesOf(call);
  }

  const Members &members;
  const OwnCalls calls;
  const int64_t each; ///< elements of a member
  Parts parts;
  bool isDirect = false; ///< MPI receives directly into the destination
  Staging sent, received;
};

} // namespace

std::unique_ptr<Operation> makeAllGather(const Members &members, OwnCalls calls,
                                         StagingPool &pool) {
  return std::make_unique<AllGather>(members, std::move(calls), pool);
}

} // namespace pcc::runtime::mpi
