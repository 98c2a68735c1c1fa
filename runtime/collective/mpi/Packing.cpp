// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two thresholds choose the operations, in bytes that one process moves in one step. A call above
// 64 KiB gets an operation of its own. Smaller fused calls, and all fused reduce-scatters, share
// operations of up to 512 KiB.

#include "runtime/collective/mpi/Operation.h"

#include "runtime/collective/mpi/Parts.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::mpi {
namespace {

/// Maximum bytes in one step of a call that is packed. Copying a larger call takes longer than
/// starting an operation of its own, in which MPI moves it between its own buffers.
constexpr int64_t maxPackedBytes = 1 << 16;

/// Maximum bytes that a process moves in one step of an operation. More calls would save hardly
/// anything, and another operation can transfer while this one is summed. docs/performance.md has
/// the times of both.
constexpr int64_t maxOperationBytes = 1 << 19;

/// Returns the bytes of a call that some process sends or receives in one step.
int64_t bytesAtOnce(const Members &members, const CollectiveCall &call) {
  return maxElementsAtOnce(members, call) * widthOf(call);
}

/// Returns whether a call is packed. Reduce-scatters are copied in any case, block by block.
bool isWorthCopying(const CollectiveCall &call, int64_t bytes) {
  return call.kind == abi::REDUCE_SCATTER || bytes <= maxPackedBytes;
}

/// Adds the operations of one message, calls first … end-1.
void addMessage(const Members &members, std::span<const CollectiveCall> batch, size_t first,
                size_t end, std::vector<std::vector<size_t>> &operations) {
  std::vector<size_t> together;
  int64_t bytes = 0;
  for (size_t c = first; c < end; ++c) {
    int64_t own = bytesAtOnce(members, batch[c]);
    if (!isWorthCopying(batch[c], own)) {
      operations.push_back({c});
      continue;
    }
    if (!together.empty() && bytes + own > maxOperationBytes) {
      operations.push_back(std::move(together));
      together.clear();
      bytes = 0;
    }
    together.push_back(c);
    bytes += own;
  }
  if (!together.empty())
    operations.push_back(std::move(together));
}

} // namespace

std::vector<std::vector<size_t>> chooseOperations(const Members &members,
                                                  std::span<const CollectiveCall> batch) {
  std::vector<std::vector<size_t>> operations;
  for (size_t first = 0, end = 0; first < batch.size(); first = end) {
    for (end = first + 1; end < batch.size() && batch[end].fused;)
      ++end;
    addMessage(members, batch, first, end, operations);
  }
  return operations;
}

int64_t maxElementsAtOnce(const Members &members, const CollectiveCall &call) {
  if (call.kind == abi::ALL_GATHER || call.kind == abi::REDUCE)
    return call.count() * members.size();
  size_t own = 1;
  for (const std::vector<int> &positions : members.positionsOf)
    own = std::max(own, positions.size());
  return call.count() * int64_t(own);
}

int64_t elementsOf(const PackedCalls &calls) {
  int64_t elements = 0;
  for (const CollectiveCall *call : calls)
    elements += call->count();
  return elements;
}

std::byte *pack(const PackedCalls &calls, int64_t first, int64_t end, std::byte *target) {
  for (const CollectiveCall *call : calls) {
    int64_t count = call->count();
    int64_t begin = std::clamp<int64_t>(first, 0, count), stop = std::clamp<int64_t>(end, 0, count);
    int64_t bytes = (stop - begin) * widthOf(*call);
    std::memcpy(target, sourceOf(*call) + begin * widthOf(*call), bytes);
    target += bytes;
    first -= count;
    end -= count;
  }
  return target;
}

void unpack(const std::byte *values, const PackedCalls &calls) {
  for (const CollectiveCall *call : calls) {
    int64_t bytes = bytesOf(*call);
    if (destinationOf(*call) != values)
      std::memcpy(destinationOf(*call), values, bytes);
    values += bytes;
  }
}

} // namespace pcc::runtime::mpi
