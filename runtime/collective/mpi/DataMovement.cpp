// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives that move the values of one call without computing, except for block exchanges that
// reduce.

#include "runtime/collective/local/Boxes.h"
#include "runtime/collective/mpi/Operation.h"
#include "runtime/collective/mpi/Parts.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::mpi {
namespace {

class Barrier final : public Operation {
public:
  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    return channel.mpi.barrier(channel.group, &request);
  }
};

class Broadcast final : public Operation {
public:
  Broadcast(const Members &members, OwnCalls ownCalls)
      : members(members), calls(std::move(ownCalls)) {
    bool isAtRoot = members.processOf[calls[0][0]->root] == members.own;
    const CollectiveCall &holder =
        *calls[isAtRoot ? members.indexInProcess(calls[0][0]->root) : 0][0];
    // MPI only reads it at the root.
    value = isAtRoot ? const_cast<std::byte *>(sourceOf(holder)) : destinationOf(holder);
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    const CollectiveCall &call = *calls[0][0];
    return channel.mpi.broadcast(value, int32_t(call.count()), widthOf(call),
                                 members.processOf[call.root], channel.group, &request);
  }

  void afterFirst() override {
    for (const PackedCalls &own : calls)
      if (destinationOf(*own[0]) != value)
        std::memcpy(destinationOf(*own[0]), value, bytesOf(*own[0]));
  }

private:
  const Members &members;
  const OwnCalls calls;
  std::byte *value;
};

/// Moves boxes between members: packed by process, in list order.
class Exchange final : public Operation {
public:
  Exchange(const Members &members, OwnCalls ownCalls, std::vector<Box> allBoxes,
           std::vector<int64_t> target, StagingPool &pool)
      : members(members), calls(std::move(ownCalls)), boxes(std::move(allBoxes)),
        targetShape(std::move(target)) {
    std::vector<int64_t> toOthers(members.processCount(), 0), fromOthers = toOthers;
    for (const Box &box : boxes) {
      int from = members.processOf[box.source], to = members.processOf[box.target];
      if (from == to)
        continue;
      if (from == members.own)
        toOthers[to] += countOf(box.size);
      if (to == members.own)
        fromOthers[from] += countOf(box.size);
    }
    sends = Parts(toOthers);
    receives = Parts(fromOthers);
    sent = Staging(pool, sends.total() * widthOf(*calls[0][0]));
    received = Staging(pool, receives.total() * widthOf(*calls[0][0]));
  }

  int startFirst(const Channel &channel, PccMpiRequest &request) override {
    std::vector<std::byte *> next = cursors(sent.data(), sends);
    for (const Box &box : boxes) {
      int to = members.processOf[box.target];
      if (members.processOf[box.source] != members.own || to == members.own)
        continue;
      const CollectiveCall &call = *calls[members.indexInProcess(box.source)][0];
      std::vector<int64_t> zero(box.size.size(), 0);
      local::moveBox({sourceOf(call), call.shape, box.sourceStart}, {next[to], box.size, zero},
                     box.size, call.type);
      next[to] += countOf(box.size) * widthOf(call);
    }
    PccMpiParts parts{sent.data(), sends.counts.data(), sends.offsets.data()};
    return channel.mpi.all_to_all(&parts, received.data(), receives.counts.data(),
                                  receives.offsets.data(), widthOf(*calls[0][0]), channel.group,
                                  &request);
  }

  void afterFirst() override {
    clearTargets();
    std::vector<std::byte *> next = cursors(received.data(), receives);
    for (const Box &box : boxes) {
      if (members.processOf[box.target] != members.own)
        continue;
      const CollectiveCall &call = *calls[members.indexInProcess(box.target)][0];
      int from = members.processOf[box.source];
      std::vector<int64_t> zero(box.size.size(), 0);
      local::BoxSide<const std::byte> source{next[from], box.size, zero};
      if (from == members.own)
        source = {sourceOf(*calls[members.indexInProcess(box.source)][0]), call.shape,
                  box.sourceStart};
      else
        next[from] += countOf(box.size) * widthOf(call);
      local::moveBox(source, {destinationOf(call), targetShape, box.targetStart}, box.size,
                     call.type, call.reduceBoxes ? call.reduction : abi::REDUCE_OP_UNSPECIFIED);
    }
  }

private:
  std::vector<std::byte *> cursors(std::byte *data, const Parts &parts) const {
    std::vector<std::byte *> next;
    for (int32_t offset : parts.offsets)
      next.push_back(data + int64_t(offset) * widthOf(*calls[0][0]));
    return next;
  }

  void clearTargets() const {
    for (size_t i = 0; i < calls.size(); ++i)
      if (int64_t bytes = zeroedBytes(*calls[i][0], members.local()[i]))
        std::memset(destinationOf(*calls[i][0]), 0, bytes);
  }

  const Members &members;
  const OwnCalls calls;
  const std::vector<Box> boxes;
  const std::vector<int64_t> targetShape;
  Parts sends, receives;
  Staging sent, received;
};

/// Returns the boxes of an all-to-all: block t of every source goes to place s of the target along
/// the concat axis.
std::vector<Box> boxesOfAllToAll(const CollectiveCall &call, int size,
                                 std::vector<int64_t> &targetShape) {
  std::vector<int64_t> block = call.shape, zero(call.shape.size(), 0);
  block[call.axis] /= size;
  targetShape = block;
  targetShape[call.concatAxis] *= size;
  std::vector<Box> boxes;
  for (int source = 0; source < size; ++source)
    for (int target = 0; target < size; ++target) {
      Box box{source, target, zero, block, zero};
      box.sourceStart[call.axis] = target * block[call.axis];
      box.targetStart[call.concatAxis] = source * block[call.concatAxis];
      boxes.push_back(std::move(box));
    }
  return boxes;
}

} // namespace

std::unique_ptr<Operation> makeBarrier() { return std::make_unique<Barrier>(); }

std::unique_ptr<Operation> makeBroadcast(const Members &members, OwnCalls calls) {
  return std::make_unique<Broadcast>(members, std::move(calls));
}

std::unique_ptr<Operation> makeExchange(const Members &members, OwnCalls calls, StagingPool &pool) {
  const CollectiveCall &call = *calls[0][0];
  std::vector<int64_t> targetShape =
      call.kind == abi::BLOCK_EXCHANGE ? call.targetShape : call.shape;
  std::vector<Box> boxes = call.kind == abi::ALL_TO_ALL
                               ? boxesOfAllToAll(call, members.size(), targetShape)
                               : call.boxes;
  return std::make_unique<Exchange>(members, std::move(calls), std::move(boxes),
                                    std::move(targetShape), pool);
}

} // namespace pcc::runtime::mpi
