// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives that sum values gathered in one process, in the order of positions. With several
// calls, each member's values are contiguous.

#include "runtime/collective/local/Boxes.h"
#include "runtime/collective/local/Reduce.h"
#include "runtime/collective/mpi/Operation.h"
#include "runtime/collective/mpi/Parts.h"

#include <cstring>

namespace pcc::runtime::mpi {
namespace {

/// Returns the addresses of each position's values, which arrived process by process with `each`
/// bytes per position.
Sources sourcesIn(const std::byte *data, const Members &members, int64_t each) {
  Sources sources(members.size());
  for (const std::vector<int> &positions : members.positionsOf)
    for (int position : positions) {
      sources[position] = data;
      data += each;
    }
  return sources;
}

void advance(Sources &sources, int64_t bytes) {
  for (const std::byte *&source : sources)
    source += bytes;
}

/// Returns the parts of an array with `each` elements of every member.
Parts partsByMember(const Members &members, int64_t each) {
  std::vector<int64_t> elements;
  for (const std::vector<int> &positions : members.positionsOf)
    elements.push_back(int64_t(positions.size()) * each);
  return Parts(elements);
}

/// Gathers all members' values on all processes or on the root's: all_reduce of few bytes, and
/// reduce.
class GatherAndReduce final : public Operation {
public:
  GatherAndReduce(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(std::move(ownCalls)), each(elementsOf(calls[0])),
        parts(partsByMember(members, each)), sent(pool, int64_t(calls.size()) * bytes()) {
    if (isReceiver())
      received = Staging(pool, int64_t(members.size()) * bytes());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    std::byte *next = sent.data();
    for (const PackedCalls &own : calls)
      next = pack(own, 0, each, next);
    const CollectiveCall &call = *calls[0][0];
    int32_t count = parts.counts[members.own];
    if (call.kind == abi::ALL_REDUCE)
      return channel.mpi.all_gather(sent.data(), count, received.data(), parts.counts.data(),
                                    parts.offsets.data(), widthOf(call), channel.group, &request);
    return channel.mpi.gather(sent.data(), count, received.data(), parts.counts.data(),
                              parts.offsets.data(), widthOf(call), members.processOf[call.root],
                              channel.group, &request);
  }

  void afterFirst() override {
    if (!isReceiver())
      return clear();
    Sources sources = sourcesIn(received.data(), members, bytes());
    for (size_t c = 0; c < calls[0].size(); ++c) {
      reduceCall(c, sources);
      advance(sources, bytesOf(*calls[0][c]));
    }
  }

private:
  /// Returns the bytes of one member's values of all calls.
  int64_t bytes() const { return each * widthOf(*calls[0][0]); }

  bool isRoot(size_t own) const {
    const CollectiveCall &call = *calls[0][0];
    return call.kind == abi::ALL_REDUCE || members.local()[own] == call.root;
  }
  bool isReceiver() const {
    const CollectiveCall &call = *calls[0][0];
    return call.kind == abi::ALL_REDUCE || members.processOf[call.root] == members.own;
  }

  void reduceCall(size_t c, const Sources &sources) const {
    const CollectiveCall &call = *calls[0][c];
    std::vector<std::byte *> targets;
    for (size_t i = 0; i < calls.size(); ++i)
      if (isRoot(i))
        targets.push_back(destinationOf(*calls[i][c]));
      else
        std::memset(destinationOf(*calls[i][c]), 0, bytesOf(call));
    local::reduce(call.reduction, call.type, sources, targets, call.count());
  }

  void clear() const {
    for (const PackedCalls &own : calls)
      for (const CollectiveCall *call : own)
        std::memset(destinationOf(*call), 0, bytesOf(*call));
  }

  const Members &members;
  const OwnCalls calls;
  const int64_t each; ///< elements of a member
  const Parts parts;
  Staging sent, received;
};

/// Each member gets its blocks of all members' values and reduces them.
class ReduceScatter final : public Operation {
public:
  ReduceScatter(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(std::move(ownCalls)), each(elementsOf(calls[0]) / members.size()) {
    parts = partsByMember(members, int64_t(calls.size()) * each);
    sent = Staging(pool, parts.total() * width());
    received = Staging(pool, parts.total() * width());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    std::byte *next = sent.data();
    for (const std::vector<int> &targets : members.positionsOf)
      for (const PackedCalls &own : calls)
        for (int target : targets)
          for (const CollectiveCall *call : own)
            next = packBlock(*call, target, next);
    PccMpiParts from{sent.data(), parts.counts.data(), parts.offsets.data()};
    return channel.mpi.all_to_all(&from, received.data(), parts.counts.data(), parts.offsets.data(),
                                  width(), channel.group, &request);
  }

  void afterFirst() override {
    int64_t bytes = each * width();
    for (size_t i = 0; i < calls.size(); ++i) {
      // Each member sent a block for every own member.
      Sources sources =
          sourcesIn(received.data() + int64_t(i) * bytes, members, int64_t(calls.size()) * bytes);
      for (const CollectiveCall *call : calls[i]) {
        int64_t count = call->count() / members.size();
        std::byte *target = destinationOf(*call);
        local::reduce(call->reduction, call->type, sources, {&target, 1}, count);
        advance(sources, count * width());
      }
    }
  }

private:
  int32_t width() const { return widthOf(*calls[0][0]); }

  /// Packs the block of a call for a member. Returns the end of the block.
  std::byte *packBlock(const CollectiveCall &call, int target, std::byte *packed) const {
    std::vector<int64_t> block = call.shape, zero(block.size(), 0), start = zero;
    block[call.axis] /= members.size();
    start[call.axis] = target * block[call.axis];
    local::moveBox({sourceOf(call), call.shape, start}, {packed, block, zero}, block, call.type);
    return packed + bytesOf(call) / members.size();
  }

  const Members &members;
  const OwnCalls calls;
  const int64_t each; ///< elements of all blocks of a member
  /// Each process sends as many elements as it receives.
  Parts parts;
  Staging sent, received;
};

} // namespace

std::unique_ptr<Operation> makeReduceScatter(const Members &members, OwnCalls calls,
                                             StagingPool &pool) {
  return std::make_unique<ReduceScatter>(members, std::move(calls), pool);
}

std::unique_ptr<Operation> makeReduce(const Members &members, OwnCalls calls, StagingPool &pool) {
  return std::make_unique<GatherAndReduce>(members, std::move(calls), pool);
}

} // namespace pcc::runtime::mpi
