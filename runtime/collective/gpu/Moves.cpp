// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes strides and offsets in elements. A box drops dimensions of size one and merges
// dimensions that are contiguous on both sides. A box that is then dense becomes a plain copy. In a
// group of one member a reduction is a copy, and a call in place needs no move.

#include "runtime/collective/gpu/Moves.h"

#include "runtime/collective/CallBytes.h"
#include "runtime/collective/SameCalls.h"

#include <algorithm>
#include <numeric>

namespace pcc::runtime::gpu {
namespace {

using Shape = std::vector<int64_t>;

Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

int64_t placeOf(const Shape &start, const Shape &strides) {
  return std::inner_product(start.begin(), start.end(), strides.begin(), int64_t(0));
}

/// Removes dimensions of size one, and merges adjacent dimensions that are contiguous on both
/// sides.
void mergeDims(MoveBox &box) {
  MoveBox merged = box;
  merged.sizes.clear(), merged.sourceStrides.clear(), merged.targetStrides.clear();
  for (size_t dim = 0; dim < box.sizes.size(); ++dim) {
    int64_t size = box.sizes[dim], source = box.sourceStrides[dim], target = box.targetStrides[dim];
    if (size == 1)
      continue;
    if (!merged.sizes.empty() && merged.sourceStrides.back() == size * source &&
        merged.targetStrides.back() == size * target) {
      merged.sizes.back() *= size;
      merged.sourceStrides.back() = source;
      merged.targetStrides.back() = target;
      continue;
    }
    merged.sizes.push_back(size);
    merged.sourceStrides.push_back(source);
    merged.targetStrides.push_back(target);
  }
  box = std::move(merged);
}

} // namespace

void addBox(const CollectiveCall &from, BoxSide source, const CollectiveCall &to, BoxSide target,
            const Shape &size, std::vector<Move> &moves) {
  if (countOf(size) == 0)
    return;
  Shape sourceStrides = stridesOf(source.shape), targetStrides = stridesOf(target.shape);
  MoveBox box{destinationOf(to) + placeOf(target.start, targetStrides) * widthOf(to),
              sourceOf(from) + placeOf(source.start, sourceStrides) * widthOf(from),
              size,
              sourceStrides,
              targetStrides,
              to.type,
              to.reduceBoxes ? to.reduction : abi::REDUCE_OP_UNSPECIFIED};
  mergeDims(box);
  bool isDense = box.sizes.empty() ||
                 (box.sizes.size() == 1 && box.sourceStrides[0] == 1 && box.targetStrides[0] == 1);
  if (!isDense || to.reduceBoxes)
    moves.push_back(std::move(box));
  else if (box.target != box.source)
    moves.push_back(CopyBytes{box.target, box.source, uint64_t(countOf(size) * widthOf(to))});
}

namespace {

std::vector<const std::byte *> sourcesOf(MemberCalls calls, int64_t offset) {
  std::vector<const std::byte *> sources;
  for (const CollectiveCall *call : calls)
    sources.push_back(sourceOf(*call) + offset * widthOf(*call));
  return sources;
}

/// Adds the moves of ALL_REDUCE and REDUCE. Only the root of a REDUCE gets the result; the others
/// get zeros.
void addAllReduce(MemberCalls calls, std::vector<Move> &moves) {
  const CollectiveCall &first = *calls[0];
  int64_t count = first.count();
  std::vector<std::byte *> targets;
  for (int p = 0; p < int(calls.size()); ++p)
    if (!calls[p]->destination)
      continue;
    else if (first.kind == abi::ALL_REDUCE || p == first.root)
      targets.push_back(destinationOf(*calls[p]));
  if (count > 0 && !targets.empty())
    moves.push_back(Reduction{std::move(targets), sourcesOf(calls, 0), first.reduction, first.type,
                              count, /*run=*/count, /*stride=*/0});
  // Zeros follow the reduction, since a member's destination may be its source.
  for (int p = 0; p < int(calls.size()); ++p)
    if (first.kind == abi::REDUCE && p != first.root && calls[p]->destination && count > 0)
      moves.push_back(ZeroBytes{destinationOf(*calls[p]), uint64_t(count * widthOf(*calls[p]))});
}

void addReduceScatter(MemberCalls calls, std::vector<Move> &moves) {
  const CollectiveCall &first = *calls[0];
  int64_t members = int64_t(calls.size()), count = first.count() / members;
  int64_t behind = stridesOf(first.shape)[first.axis];
  int64_t run = first.shape[first.axis] / members * behind;
  for (int64_t p = 0; count > 0 && p < members; ++p)
    if (calls[p]->destination)
      moves.push_back(Reduction{{destinationOf(*calls[p])},
                                sourcesOf(calls, p * run),
                                first.reduction,
                                first.type,
                                count,
                                run,
                                run * members});
}

void addAllGather(MemberCalls calls, std::vector<Move> &moves) {
  const CollectiveCall &first = *calls[0];
  Shape whole = first.shape, zero(first.shape.size(), 0), place = zero;
  whole[first.axis] *= int64_t(calls.size());
  for (size_t p = 0; p < calls.size(); ++p) {
    place[first.axis] = int64_t(p) * first.shape[first.axis];
    for (const CollectiveCall *target : calls)
      if (target->destination)
        addBox(*calls[p], {first.shape, zero}, *target, {whole, place}, first.shape, moves);
  }
}

void addAllToAll(MemberCalls calls, std::vector<Move> &moves) {
  const CollectiveCall &first = *calls[0];
  int64_t members = int64_t(calls.size());
  Shape size = first.shape, start(size.size(), 0), place = start;
  size[first.axis] /= members;
  Shape whole = size;
  whole[first.concatAxis] *= members;
  for (int64_t target = 0; target < members; ++target) {
    start[first.axis] = target * size[first.axis];
    for (int64_t source = 0; source < members; ++source) {
      place[first.concatAxis] = source * size[first.concatAxis];
      if (calls[target]->destination)
        addBox(*calls[source], {first.shape, start}, *calls[target], {whole, place}, size, moves);
    }
  }
}

/// Adds the moves to one member of a COLLECTIVE_PERMUTE or BLOCK_EXCHANGE.
void addBoxesTo(MemberCalls calls, int target, std::vector<Move> &moves) {
  const CollectiveCall &call = *calls[target];
  if (!call.destination)
    return;
  if (int64_t bytes = zeroedBytes(call, target))
    moves.push_back(ZeroBytes{destinationOf(call), uint64_t(bytes)});
  for (const Box &box : call.boxes)
    if (box.target == target)
      addBox(*calls[size_t(box.source)], {call.shape, box.sourceStart}, call,
             {targetShapeOf(call), box.targetStart}, box.size, moves);
}

bool isReduction(abi::CollectiveKind kind) {
  return kind == abi::ALL_REDUCE || kind == abi::REDUCE || kind == abi::REDUCE_SCATTER;
}

void addBroadcast(MemberCalls calls, std::vector<Move> &moves) {
  const CollectiveCall &first = *calls[0];
  const std::byte *source = sourceOf(*calls[size_t(first.root)]);
  for (const CollectiveCall *call : calls)
    if (call->destination && destinationOf(*call) != source && first.count() > 0)
      moves.push_back(
          CopyBytes{destinationOf(*call), source, uint64_t(first.count() * widthOf(first))});
}

} // namespace

void addMoves(MemberCalls calls, std::vector<Move> &moves) {
  const CollectiveCall &first = *calls[0];
  if (calls.size() == 1 && first.source == first.destination)
    return; // a single member's source is the result, already in place
  if (calls.size() == 1 && isReduction(first.kind)) {
    if (first.destination && first.count() > 0)
      moves.push_back(CopyBytes{destinationOf(first), sourceOf(first), uint64_t(bytesOf(first))});
    return;
  }
  switch (first.kind) {
  case abi::ALL_REDUCE:
  case abi::REDUCE:
    return addAllReduce(calls, moves);
  case abi::REDUCE_SCATTER:
    return addReduceScatter(calls, moves);
  case abi::ALL_GATHER:
    return addAllGather(calls, moves);
  case abi::ALL_TO_ALL:
    return addAllToAll(calls, moves);
  case abi::BROADCAST:
    return addBroadcast(calls, moves);
  case abi::COLLECTIVE_PERMUTE:
  case abi::BLOCK_EXCHANGE:
    for (int target = 0; target < int(calls.size()); ++target)
      addBoxesTo(calls, target, moves);
    return;
  default:
    return;
  }
}

void addMessage(const CollectiveCall &send, const CollectiveCall &receive,
                std::vector<Move> &moves) {
  if (send.count() > 0)
    moves.push_back(
        CopyBytes{destinationOf(receive), sourceOf(send), uint64_t(send.count() * widthOf(send))});
}

} // namespace pcc::runtime::gpu
