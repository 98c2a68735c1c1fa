// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives that sum. Values of all members come together in one process, which reduces them in
// the order of positions.

#include "runtime/collective/local/Boxes.h"
#include "runtime/collective/local/Reduce.h"
#include "runtime/collective/mpi/Operation.h"
#include "runtime/collective/mpi/Parts.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace pcc::runtime::mpi {
namespace {

/// All members' values of at most so many bytes go to all processes at once: one step is then
/// faster than two.
constexpr int64_t fewBytes = 1 << 15;

using Sources = std::vector<const std::byte *>;

/// Where the values of each position lie, if they came process by process, `each` bytes a position.
Sources sourcesIn(const std::byte *data, const Members &members, int64_t each) {
  Sources sources(members.size());
  for (const std::vector<int> &positions : members.positionsOf)
    for (int position : positions) {
      sources[position] = data;
      data += each;
    }
  return sources;
}

/// The parts of an array that has `each` elements of every member.
Parts partsByMember(const Members &members, int64_t each) {
  std::vector<int64_t> elements;
  for (const std::vector<int> &positions : members.positionsOf)
    elements.push_back(int64_t(positions.size()) * each);
  return Parts(elements);
}

/// Elements first … end-1 of a destination.
struct Range {
  int64_t first, end;
};

/// All members' values to all processes or to the root's: all_reduce of few bytes, and reduce.
class GatherAndReduce final : public Operation {
public:
  GatherAndReduce(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(ownCalls), parts(partsByMember(members, calls[0]->count())),
        sent(pool, int64_t(calls.size()) * bytes()) {
    if (isReceiver())
      received = Staging(pool, int64_t(members.size()) * bytes());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    for (size_t i = 0; i < calls.size(); ++i)
      std::memcpy(sent.data() + int64_t(i) * bytes(), sourceOf(*calls[i]), bytes());
    const CollectiveCall &call = *calls[0];
    int32_t count = parts.counts[members.own];
    if (call.kind == abi::ALL_REDUCE)
      return channel.mpi.all_gather(sent.data(), count, received.data(), parts.counts.data(),
                                    parts.offsets.data(), widthOf(call), channel.group, &request);
    return channel.mpi.gather(sent.data(), count, received.data(), parts.counts.data(),
                              parts.offsets.data(), widthOf(call), members.home[call.root],
                              channel.group, &request);
  }

  void afterFirst() override {
    std::vector<std::byte *> targets;
    for (size_t i = 0; i < calls.size(); ++i)
      if (calls[i]->kind == abi::ALL_REDUCE || members.local()[i] == calls[i]->root)
        targets.push_back(destinationOf(*calls[i]));
      else
        std::memset(destinationOf(*calls[i]), 0, bytes());
    if (!targets.empty())
      local::reduce(calls[0]->reduction, calls[0]->type,
                    sourcesIn(received.data(), members, bytes()), targets, calls[0]->count());
  }

private:
  int64_t bytes() const { return calls[0]->count() * widthOf(*calls[0]); }
  bool isReceiver() const {
    return calls[0]->kind == abi::ALL_REDUCE || members.home[calls[0]->root] == members.own;
  }

  const Members &members;
  const OwnCalls calls;
  const Parts parts;
  Staging sent, received;
};

/// Each process gets its range of all members' values, reduces it, and gives the result to all.
class AllReduce final : public Operation {
public:
  AllReduce(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(ownCalls) {
    std::vector<int64_t> toOthers, fromOthers, results;
    Range own = rangeOf(members.own);
    for (int p = 0; p < members.processCount(); ++p) {
      bool isOwn = p == members.own;
      int64_t range = rangeOf(p).end - rangeOf(p).first;
      results.push_back(range);
      toOthers.push_back(isOwn ? 0 : range * int64_t(calls.size()));
      fromOthers.push_back(isOwn ? 0
                                 : (own.end - own.first) * int64_t(members.positionsOf[p].size()));
    }
    ranges = Parts(results);
    sends = Parts(toOthers);
    receives = Parts(fromOthers);
    if (calls.size() > 1)
      sent = Staging(pool, sends.total() * width());
    received = Staging(pool, receives.total() * width());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    PccMpiParts parts{sent.data(), sends.counts.data(), sends.offsets.data()};
    if (calls.size() == 1)
      parts = {sourceOf(*calls[0]), sends.counts.data(), ranges.offsets.data()};
    else
      pack();
    return channel.mpi.all_to_all(&parts, received.data(), receives.counts.data(),
                                  receives.offsets.data(), width(), channel.group, &request);
  }

  void afterFirst() override {
    Range own = rangeOf(members.own);
    int64_t offset = own.first * width(), each = (own.end - own.first) * width();
    Sources sources(members.size());
    const std::byte *next = received.data();
    for (int p = 0; p < members.processCount(); ++p)
      for (size_t i = 0; i < members.positionsOf[p].size(); ++i) {
        int position = members.positionsOf[p][i];
        sources[position] = p == members.own ? sourceOf(*calls[i]) + offset : next;
        next += p == members.own ? 0 : each;
      }
    std::byte *target = destinationOf(*calls[0]) + offset;
    local::reduce(calls[0]->reduction, calls[0]->type, sources, {&target, 1}, own.end - own.first);
  }

  bool hasSecond() const override { return true; }

  int startSecond(const Channel &channel, PccMpiRequest &request) override {
    return channel.mpi.all_gather(nullptr, 0, destinationOf(*calls[0]), ranges.counts.data(),
                                  ranges.offsets.data(), width(), channel.group, &request);
  }

  void afterSecond() override {
    for (size_t i = 1; i < calls.size(); ++i)
      std::memcpy(destinationOf(*calls[i]), destinationOf(*calls[0]), calls[0]->count() * width());
  }

private:
  int32_t width() const { return widthOf(*calls[0]); }

  Range rangeOf(int process) const {
    int64_t count = calls[0]->count(), processes = members.processCount();
    return {process * count / processes, (process + 1) * count / processes};
  }

  /// The ranges of each other process, of one own member after the other.
  void pack() {
    std::byte *next = sent.data();
    for (int p = 0; p < members.processCount(); ++p)
      for (const CollectiveCall *call : calls) {
        Range range = rangeOf(p);
        int64_t bytes = p == members.own ? 0 : (range.end - range.first) * width();
        std::memcpy(next, sourceOf(*call) + range.first * width(), bytes);
        next += bytes;
      }
  }

  const Members &members;
  const OwnCalls calls;
  Parts ranges, sends, receives;
  Staging sent, received;
};

/// Each member gets its block of all members' values and reduces it.
class ReduceScatter final : public Operation {
public:
  ReduceScatter(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(ownCalls), block(calls[0]->shape) {
    block[calls[0]->axis] /= members.size();
    int64_t own = int64_t(calls.size());
    sends = partsByMember(members, own * blockCount());
    receives = partsByMember(members, own * blockCount());
    sent = Staging(pool, sends.total() * width());
    received = Staging(pool, receives.total() * width());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    const CollectiveCall &call = *calls[0];
    std::vector<int64_t> zero(block.size(), 0), start = zero;
    std::byte *next = sent.data();
    for (const std::vector<int> &targets : members.positionsOf)
      for (const CollectiveCall *own : calls)
        for (int target : targets) {
          start[call.axis] = target * block[call.axis];
          local::moveBox({sourceOf(*own), call.shape, start}, {next, block, zero}, block,
                         call.type);
          next += blockCount() * width();
        }
    PccMpiParts parts{sent.data(), sends.counts.data(), sends.offsets.data()};
    return channel.mpi.all_to_all(&parts, received.data(), receives.counts.data(),
                                  receives.offsets.data(), width(), channel.group, &request);
  }

  void afterFirst() override {
    int64_t bytes = blockCount() * width();
    for (size_t i = 0; i < calls.size(); ++i) {
      // Each member sent a block for every own member.
      Sources sources =
          sourcesIn(received.data() + int64_t(i) * bytes, members, int64_t(calls.size()) * bytes);
      std::byte *target = destinationOf(*calls[i]);
      local::reduce(calls[i]->reduction, calls[i]->type, sources, {&target, 1}, blockCount());
    }
  }

private:
  int32_t width() const { return widthOf(*calls[0]); }
  int64_t blockCount() const { return calls[0]->count() / members.size(); }

  const Members &members;
  const OwnCalls calls;
  std::vector<int64_t> block;
  Parts sends, receives;
  Staging sent, received;
};

/// MPI's name of a type, where it has one.
std::optional<int32_t> libraryType(abi::ElementType type) {
  switch (type) {
  case abi::F32:
    return PCC_MPI_F32;
  case abi::I8:
    return PCC_MPI_I8;
  case abi::I32:
    return PCC_MPI_I32;
  case abi::I64:
    return PCC_MPI_I64;
  case abi::BOOL:
    return PCC_MPI_BOOL;
  default:
    return std::nullopt;
  }
}

int32_t libraryReduction(abi::ReduceOp reduction) {
  switch (reduction) {
  case abi::MAX:
    return PCC_MPI_MAX;
  case abi::MIN:
    return PCC_MPI_MIN;
  case abi::PROD:
    return PCC_MPI_PROD;
  default:
    return PCC_MPI_SUM;
  }
}

/// Own members are reduced here, their sums by MPI.
class LibraryAllReduce final : public Operation {
public:
  explicit LibraryAllReduce(OwnCalls ownCalls) : calls(std::move(ownCalls)) {}

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    const CollectiveCall &call = *calls[0];
    Sources sources;
    for (const CollectiveCall *own : calls)
      sources.push_back(sourceOf(*own));
    std::byte *target = destinationOf(call);
    local::reduce(call.reduction, call.type, sources, {&target, 1}, call.count());
    return channel.mpi.all_reduce(target, int32_t(call.count()), *libraryType(call.type),
                                  libraryReduction(call.reduction), channel.group, &request);
  }

  void afterFirst() override {
    for (size_t i = 1; i < calls.size(); ++i)
      std::memcpy(destinationOf(*calls[i]), destinationOf(*calls[0]),
                  calls[0]->count() * widthOf(*calls[0]));
  }

private:
  const OwnCalls calls;
};

} // namespace

std::unique_ptr<Operation> makeReduceScatter(const Members &members, OwnCalls calls,
                                             StagingPool &pool) {
  return std::make_unique<ReduceScatter>(members, std::move(calls), pool);
}

std::unique_ptr<Operation> makeReduce(const Members &members, OwnCalls calls, StagingPool &pool) {
  return std::make_unique<GatherAndReduce>(members, std::move(calls), pool);
}

std::unique_ptr<Operation> makeAllReduce(const Members &members, OwnCalls calls,
                                         Reductions reductions, StagingPool &pool) {
  const CollectiveCall &call = *calls[0];
  if (reductions == Reductions::Library && libraryType(call.type))
    return std::make_unique<LibraryAllReduce>(std::move(calls));
  if (call.count() * widthOf(call) * members.size() <= fewBytes)
    return std::make_unique<GatherAndReduce>(members, std::move(calls), pool);
  return std::make_unique<AllReduce>(members, std::move(calls), pool);
}

} // namespace pcc::runtime::mpi
