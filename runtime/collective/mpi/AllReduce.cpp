// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All-reduces of one call, or of several calls whose values form one array.

#include "runtime/collective/local/Reduce.h"
#include "runtime/collective/mpi/Operation.h"
#include "runtime/collective/mpi/Parts.h"

#include <optional>

namespace pcc::runtime::mpi {
namespace {

/// Maximum bytes of all members' values for a gather to all processes: one step is then faster than
/// two.
constexpr int64_t maxGatherBytes = 1 << 15;

/// Elements first … end-1 of the array.
struct Range {
  int64_t first, end;
  int64_t count() const { return end - first; }
};

/// Each process gets its range of all members' values, reduces it, and sends the result to all.
class AllReduce final : public Operation {
public:
  AllReduce(const Members &members, OwnCalls ownCalls, StagingPool &pool)
      : members(members), calls(std::move(ownCalls)), elements(elementsOf(calls[0])) {
    std::vector<int64_t> results, packed, fromOthers;
    for (int p = 0; p < members.processCount(); ++p) {
      int64_t count = rangeOf(p).count(), theirs = int64_t(members.positionsOf[p].size());
      results.push_back(count);
      packed.push_back(count * int64_t(calls.size()));
      fromOthers.push_back(p == members.own ? 0 : rangeOf(members.own).count() * theirs);
    }
    ranges = Parts(results);
    sends = Parts(packed);
    sends.counts[members.own] = 0; // stays in place
    receives = Parts(fromOthers);
    if (!isSentFromSource())
      sent = Staging(pool, sends.total() * width());
    if (calls[0].size() > 1)
      result = Staging(pool, elements * width());
    received = Staging(pool, receives.total() * width());
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    std::byte *next = sent.data();
    for (int p = 0; next && p < members.processCount(); ++p)
      for (const PackedCalls &own : calls)
        next = pack(own, rangeOf(p).first, rangeOf(p).end, next);
    PccMpiParts parts{sent.data(), sends.counts.data(), sends.offsets.data()};
    if (isSentFromSource())
      parts.data = sourceOf(*calls[0][0]);
    return channel.mpi.all_to_all(&parts, received.data(), receives.counts.data(),
                                  receives.offsets.data(), width(), channel.group, &request);
  }

  void afterFirst() override {
    Range own = rangeOf(members.own);
    int64_t each = own.count() * width();
    const std::byte *here = ownRanges(), *there = received.data();
    Sources sources(members.size());
    for (int p = 0; p < members.processCount(); ++p)
      for (int position : members.positionsOf[p]) {
        const std::byte *&next = p == members.own ? here : there;
        sources[position] = next;
        next += each;
      }
    std::byte *at = target() + own.first * width();
    local::reduce(calls[0][0]->reduction, calls[0][0]->type, sources, {&at, 1}, own.count());
  }

  bool hasSecond() const override { return true; }

  int startSecond(const Channel &channel, PccMpiRequest &request) override {
    return channel.mpi.all_gather(nullptr, 0, target(), ranges.counts.data(), ranges.offsets.data(),
                                  width(), channel.group, &request);
  }

  void afterSecond() override {
    for (const PackedCalls &own : calls)
      unpack(target(), own);
  }

private:
  int32_t width() const { return widthOf(*calls[0][0]); }
  bool isSentFromSource() const { return calls.size() == 1 && calls[0].size() == 1; }
  std::byte *target() const { return result.data() ? result.data() : destinationOf(*calls[0][0]); }

  Range rangeOf(int process) const {
    int64_t processes = members.processCount();
    return {process * elements / processes, (process + 1) * elements / processes};
  }

  /// Returns the own range of all own members, one after the other.
  const std::byte *ownRanges() const {
    const std::byte *values = isSentFromSource() ? sourceOf(*calls[0][0]) : sent.data();
    return values + int64_t(sends.offsets[members.own]) * width();
  }

  const Members &members;
  const OwnCalls calls;
  const int64_t elements; ///< of the array
  Parts ranges, sends, receives;
  /// Data for each process, including the own one: the ranges of all own members, one after the
  /// other.
  Staging sent;
  Staging received, result;
};

/// Returns MPI's type, if it has one.
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

/// An all-reduce in which each process reduces its own members and MPI reduces the results.
class LibraryAllReduce final : public Operation {
public:
  LibraryAllReduce(OwnCalls ownCalls, StagingPool &pool) : calls(std::move(ownCalls)) {
    if (calls[0].size() > 1)
      result = Staging(pool, elementsOf(calls[0]) * widthOf(*calls[0][0]));
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    std::byte *next = target();
    for (size_t c = 0; c < calls[0].size(); ++c) {
      Sources sources;
      for (const PackedCalls &own : calls)
        sources.push_back(sourceOf(*own[c]));
      const CollectiveCall &call = *calls[0][c];
      local::reduce(call.reduction, call.type, sources, {&next, 1}, call.count());
      next += bytesOf(call);
    }
    const CollectiveCall &call = *calls[0][0];
    return channel.mpi.all_reduce(target(), int32_t(elementsOf(calls[0])), *libraryType(call.type),
                                  libraryReduction(call.reduction), channel.group, &request);
  }

  void afterFirst() override {
    for (const PackedCalls &own : calls)
      unpack(target(), own);
  }

private:
  std::byte *target() const { return result.data() ? result.data() : destinationOf(*calls[0][0]); }

  const OwnCalls calls;
  Staging result;
};

} // namespace

std::unique_ptr<Operation> makeAllReduce(const Members &members, OwnCalls calls,
                                         Reductions reductions, StagingPool &pool) {
  const CollectiveCall &call = *calls[0][0];
  if (reductions == Reductions::Library && libraryType(call.type))
    return std::make_unique<LibraryAllReduce>(std::move(calls), pool);
  if (elementsOf(calls[0]) * widthOf(call) * members.size() <= maxGatherBytes)
    return makeReduce(members, std::move(calls), pool);
  return std::make_unique<AllReduce>(members, std::move(calls), pool);
}

} // namespace pcc::runtime::mpi
