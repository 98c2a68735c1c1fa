// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only lists copies and NCCL calls, so it needs neither NCCL nor a GPU. Blocks along an axis are
// contiguous if all slower dimensions have size one; other blocks are packed. Sends and receives
// count bytes, all other calls elements.

#include "runtime/collective/nccl/Plan.h"

#include "runtime/collective/CallBytes.h"

#include <algorithm>

namespace pcc::runtime::nccl {
namespace {

using Kind = Operation::Kind;
using Shape = std::vector<int64_t>;

/// Returns whether blocks along the axis are contiguous.
bool isSlowest(const Shape &shape, uint32_t axis) {
  return std::all_of(shape.begin(), shape.begin() + axis,
                     [](int64_t extent) { return extent == 1; });
}

Operation reductionOf(Kind kind, const CollectiveCall &call, int64_t count) {
  return {.kind = kind,
          .source = sourceOf(call),
          .target = destinationOf(call),
          .count = count,
          .type = typeOf(call.type),
          .reduction = operatorOf(call),
          .peer = call.root};
}

Operation transferOf(Kind kind, const std::byte *source, std::byte *target, int64_t bytes,
                     int peer) {
  return {.kind = kind, .source = source, .target = target, .count = bytes, .peer = peer};
}

/// Returns the call with another source and destination.
CollectiveCall at(const CollectiveCall &call, const void *source, void *destination) {
  CollectiveCall other = call;
  other.source = source;
  other.destination = destination;
  return other;
}

/// Add the packing of a box into dense memory, and the unpacking.
void addPack(const CollectiveCall &call, gpu::BoxSide from, const Shape &size, std::byte *packed,
             std::vector<gpu::Move> &moves) {
  Shape zero(size.size(), 0);
  CollectiveCall to = at(call, nullptr, packed);
  to.reduceBoxes = false;
  gpu::addBox(call, from, to, {size, zero}, size, moves);
}
void addUnpack(const CollectiveCall &call, gpu::BoxSide to, const Shape &size,
               const std::byte *packed, std::vector<gpu::Move> &moves) {
  Shape zero(size.size(), 0);
  gpu::addBox(at(call, packed, nullptr), {size, zero}, call, to, size, moves);
}

void addReduce(const CollectiveCall &call, int position, Plan &plan) {
  plan.operations.push_back(reductionOf(Kind::Reduce, call, call.count()));
  if (position != call.root)
    plan.after.push_back(gpu::ZeroBytes{destinationOf(call), uint64_t(bytesOf(call))});
}

void addAllGather(const CollectiveCall &call, int members, const TakeMemory &take, Plan &plan) {
  Operation gather = reductionOf(Kind::AllGather, call, call.count());
  if (!isSlowest(call.shape, call.axis)) {
    int64_t bytes = bytesOf(call);
    gather.target = take(bytes * members);
    Shape whole = call.shape, place(whole.size(), 0);
    whole[call.axis] *= members;
    for (int member = 0; member < members; ++member) {
      place[call.axis] = member * call.shape[call.axis];
      addUnpack(call, {whole, place}, call.shape, gather.target + member * bytes, plan.after);
    }
  }
  plan.operations.push_back(gather);
}

void addReduceScatter(const CollectiveCall &call, int members, const TakeMemory &take, Plan &plan) {
  Operation scatter = reductionOf(Kind::ReduceScatter, call, call.count() / members);
  if (!isSlowest(call.shape, call.axis)) {
    std::byte *packed = take(bytesOf(call));
    Shape block = call.shape, start(block.size(), 0);
    block[call.axis] /= members;
    for (int member = 0; member < members; ++member) {
      start[call.axis] = member * block[call.axis];
      addPack(call, {call.shape, start}, block, packed + member * scatter.count * widthOf(call),
              plan.before);
    }
    scatter.source = packed;
  }
  plan.operations.push_back(scatter);
}

void addAllToAll(const CollectiveCall &call, int position, int members, const TakeMemory &take,
                 Plan &plan) {
  Shape block = call.shape, start(block.size(), 0), place = start;
  block[call.axis] /= members;
  Shape whole = block;
  whole[call.concatAxis] *= members;
  int64_t bytes = countOf(block) * widthOf(call);
  bool sourceIsContiguous = isSlowest(call.shape, call.axis);
  bool targetIsContiguous = isSlowest(whole, call.concatAxis);
  const std::byte *sent = sourceIsContiguous ? sourceOf(call) : nullptr;
  std::byte *packed = sourceIsContiguous ? nullptr : take(bytes * members);
  std::byte *received = targetIsContiguous ? destinationOf(call) : take(bytes * members);
  for (int member = 0; member < members; ++member) {
    start[call.axis] = member * block[call.axis];
    place[call.concatAxis] = member * block[call.concatAxis];
    if (member == position) {
      gpu::addBox(call, {call.shape, start}, call, {whole, place}, block, plan.before);
      continue;
    }
    if (packed)
      addPack(call, {call.shape, start}, block, packed + member * bytes, plan.before);
    plan.operations.push_back(
        transferOf(Kind::Send, (packed ? packed : sent) + member * bytes, nullptr, bytes, member));
    plan.operations.push_back(
        transferOf(Kind::Receive, nullptr, received + member * bytes, bytes, member));
    if (!targetIsContiguous)
      addUnpack(call, {whole, place}, block, received + member * bytes, plan.after);
  }
}

/// Returns the start of a box that is contiguous in its tensor; null if it is not contiguous.
template <typename Byte>
Byte *contiguousStart(Byte *tensor, const Shape &shape, const Shape &start, const Shape &size,
                      int64_t width) {
  int64_t place = 0;
  bool hasBroken = false; // an outer dimension has more than one index
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (hasBroken && size[dim] != shape[dim])
      return nullptr;
    hasBroken |= size[dim] != 1;
    place = place * shape[dim] + start[dim];
  }
  return tensor + place * width;
}

void addSentBox(const CollectiveCall &call, const Box &box, const TakeMemory &take, Plan &plan) {
  int64_t bytes = countOf(box.size) * widthOf(call);
  const std::byte *piece =
      contiguousStart(sourceOf(call), call.shape, box.sourceStart, box.size, widthOf(call));
  if (!piece) {
    std::byte *packed = take(bytes);
    addPack(call, {call.shape, box.sourceStart}, box.size, packed, plan.before);
    piece = packed;
  }
  plan.operations.push_back(transferOf(Kind::Send, piece, nullptr, bytes, box.target));
}

void addReceivedBox(const CollectiveCall &call, const Box &box, const Shape &shape,
                    const TakeMemory &take, Plan &plan) {
  int64_t bytes = countOf(box.size) * widthOf(call);
  std::byte *piece = call.reduceBoxes ? nullptr
                                      : contiguousStart(destinationOf(call), shape, box.targetStart,
                                                        box.size, widthOf(call));
  if (!piece) {
    piece = take(bytes);
    addUnpack(call, {shape, box.targetStart}, box.size, piece, plan.after);
  }
  plan.operations.push_back(transferOf(Kind::Receive, nullptr, piece, bytes, box.source));
}

/// Adds permutations and block exchanges. Both sides process the boxes between two members in the
/// same list order, so sends and receives match.
void addBoxes(const CollectiveCall &call, int position, const TakeMemory &take, Plan &plan) {
  const Shape &shape = targetShapeOf(call);
  if (int64_t bytes = zeroedBytes(call, position))
    plan.after.push_back(gpu::ZeroBytes{destinationOf(call), uint64_t(bytes)});
  for (const Box &box : call.boxes) {
    if (countOf(box.size) == 0)
      continue;
    if (box.source == position && box.target == position)
      gpu::addBox(call, {call.shape, box.sourceStart}, call, {shape, box.targetStart}, box.size,
                  plan.after);
    else if (box.source == position)
      addSentBox(call, box, take, plan);
    else if (box.target == position)
      addReceivedBox(call, box, shape, take, plan);
  }
}

} // namespace

void addCall(const CollectiveCall &call, int position, int members, const TakeMemory &take,
             Plan &plan) {
  if (call.kind == abi::BARRIER || (call.count() == 0 && call.kind != abi::BLOCK_EXCHANGE))
    return;
  if (members == 1) {
    const CollectiveCall *only = &call;
    return gpu::addMoves({&only, 1}, plan.before);
  }
  switch (call.kind) {
  case abi::ALL_REDUCE:
    plan.operations.push_back(reductionOf(Kind::AllReduce, call, call.count()));
    return;
  case abi::BROADCAST:
    plan.operations.push_back(reductionOf(Kind::Broadcast, call, call.count()));
    return;
  case abi::REDUCE:
    return addReduce(call, position, plan);
  case abi::ALL_GATHER:
    return addAllGather(call, members, take, plan);
  case abi::REDUCE_SCATTER:
    return addReduceScatter(call, members, take, plan);
  case abi::ALL_TO_ALL:
    return addAllToAll(call, position, members, take, plan);
  default:
    return addBoxes(call, position, take, plan);
  }
}

void addMessage(const CollectiveCall &call, int peer, Plan &plan) {
  int64_t bytes = bytesOf(call);
  if (bytes == 0)
    return;
  plan.operations.push_back(
      call.kind == abi::SEND
          ? transferOf(Kind::Send, sourceOf(call), nullptr, bytes, peer)
          : transferOf(Kind::Receive, nullptr, destinationOf(call), bytes, peer));
}

} // namespace pcc::runtime::nccl
