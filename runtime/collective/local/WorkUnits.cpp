// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit of a reduction, gather or broadcast is a range of source elements. Except for the last,
// ranges have 4096 to 16384 elements. A unit writes all results of its range. A unit of an
// all-to-all, permutation or block exchange is everything that one member receives.

#include "runtime/collective/local/WorkUnits.h"

#include "runtime/collective/CallBytes.h"
#include "runtime/collective/local/Boxes.h"
#include "runtime/collective/local/Reduce.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::local {
namespace {

/// Returns the elements of a unit. The data of 8 members in f32 fits a second-level cache; small
/// operands are cut into a few units, too.
int64_t unitElements(int64_t elements) {
  constexpr int64_t most = 1 << 14, least = 1 << 12, units = 4;
  return std::clamp((elements / units + 1023) / 1024 * 1024, least, most);
}

int64_t unitsOf(int64_t elements) {
  return (elements + unitElements(elements) - 1) / unitElements(elements);
}

/// Returns the elements inside one index of `axis`. A gather or scatter moves runs of extent(axis)
/// times this number.
int64_t innerOf(const CollectiveCall &call) {
  int64_t inner = 1;
  for (size_t d = call.axis + 1; d < call.shape.size(); ++d)
    inner *= call.shape[d];
  return inner;
}

/// Chooses the store by the bytes of all members' destinations.
StoreMode storeOf(MemberCalls calls) {
  const CollectiveCall &call = *calls[0];
  int64_t bytes = call.count() * widthOf(call) * int64_t(calls.size());
  if (call.kind == abi::ALL_GATHER)
    bytes *= int64_t(calls.size());
  return storeModeFor(bytes);
}

/// Reduces elements [offset, offset + count) of all sources into the given destinations.
void reduceRange(MemberCalls calls, std::span<std::byte *const> destinations, int64_t offset,
                 int64_t count) {
  std::vector<const std::byte *> sources;
  for (const CollectiveCall *call : calls)
    sources.push_back(sourceOf(*call) + offset * widthOf(*call));
  reduce(calls[0]->reduction, calls[0]->type, sources, destinations, count, storeOf(calls));
}

/// A range of elements.
struct Range {
  int64_t begin;
  int64_t end;
};
Range rangeOf(int64_t unit, int64_t elements) {
  int64_t each = unitElements(elements);
  return {unit * each, std::min(elements, (unit + 1) * each)};
}

void allReduceUnit(MemberCalls calls, int64_t unit) {
  Range range = rangeOf(unit, calls[0]->count());
  std::vector<std::byte *> destinations;
  for (size_t p = 0; p < calls.size(); ++p)
    if (calls[p]->destination && (calls[0]->kind == abi::ALL_REDUCE || int(p) == calls[0]->root))
      destinations.push_back(destinationOf(*calls[p]) + range.begin * widthOf(*calls[p]));
  int64_t offset = range.begin * widthOf(*calls[0]);
  if (!destinations.empty())
    reduceRange(calls, destinations, range.begin, range.end - range.begin);
  for (size_t p = 0; p < calls.size(); ++p)
    if (calls[p]->destination && calls[0]->kind == abi::REDUCE && int(p) != calls[0]->root)
      std::memset(destinationOf(*calls[p]) + offset, 0,
                  (range.end - range.begin) * widthOf(*calls[0]));
}

void reduceScatterUnit(MemberCalls calls, int64_t unit) {
  const CollectiveCall &call = *calls[0];
  int64_t members = calls.size(), element = widthOf(call);
  int64_t run = call.shape[call.axis] / members * innerOf(call);
  Range range = rangeOf(unit, call.count());
  for (int64_t begin = range.begin; begin < range.end;) {
    int64_t block = begin / run, inRun = begin % run;
    int64_t count = std::min(run - inRun, range.end - begin);
    int64_t target = block % members, outer = block / members;
    std::byte *destination = destinationOf(*calls[target]);
    if (destination) {
      destination += (outer * run + inRun) * element;
      reduceRange(calls, {&destination, 1}, begin, count);
    }
    begin += count;
  }
}

void allGatherUnit(MemberCalls calls, int64_t unit) {
  const CollectiveCall &call = *calls[0];
  int64_t members = calls.size(), element = widthOf(call);
  int64_t run = call.shape[call.axis] * innerOf(call), each = unitsOf(call.count());
  int64_t member = unit / each;
  Range range = rangeOf(unit % each, call.count());
  for (int64_t begin = range.begin; begin < range.end;) {
    int64_t outer = begin / run, inRun = begin % run;
    int64_t count = std::min(run - inRun, range.end - begin);
    int64_t offset = (outer * members + member) * run + inRun;
    for (const CollectiveCall *target : calls)
      if (target->destination)
        storeBytes(storeOf(calls), destinationOf(*target) + offset * element,
                   sourceOf(*calls[member]) + begin * element, count * element);
    begin += count;
  }
}

void broadcastUnit(MemberCalls calls, int64_t unit) {
  Range range = rangeOf(unit, calls[0]->count());
  int64_t element = widthOf(*calls[0]), offset = range.begin * element;
  const std::byte *source = sourceOf(*calls[calls[0]->root]) + offset;
  for (const CollectiveCall *call : calls)
    if (call->destination && destinationOf(*call) + offset != source)
      storeBytes(storeOf(calls), destinationOf(*call) + offset, source,
                 (range.end - range.begin) * element);
}

/// Moves everything that one target receives: block `target` of each source becomes block `source`
/// of the target along the concat axis.
void allToAllUnit(MemberCalls calls, int64_t target) {
  const CollectiveCall &call = *calls[0];
  if (!calls[target]->destination)
    return;
  int64_t members = calls.size();
  std::vector<int64_t> size = call.shape, targetShape, start(size.size(), 0), place(size.size(), 0);
  size[call.axis] /= members;
  targetShape = size;
  targetShape[call.concatAxis] *= members;
  start[call.axis] = target * size[call.axis];
  for (int64_t source = 0; source < members; ++source) {
    place[call.concatAxis] = source * size[call.concatAxis];
    moveBox({sourceOf(*calls[source]), call.shape, start},
            {destinationOf(*calls[target]), targetShape, place}, size, call.type,
            abi::REDUCE_OP_UNSPECIFIED, storeOf(calls));
  }
}

/// Moves everything that one target of a permutation or block exchange receives.
void boxesUnit(MemberCalls calls, int64_t target) {
  const CollectiveCall &call = *calls[target];
  if (!call.destination)
    return;
  if (int64_t bytes = zeroedBytes(call, int(target)))
    std::memset(destinationOf(call), 0, bytes);
  for (const Box &box : call.boxes)
    if (box.target == target)
      moveBox({sourceOf(*calls[box.source]), call.shape, box.sourceStart},
              {destinationOf(call), targetShapeOf(call), box.targetStart}, box.size, call.type,
              call.reduceBoxes ? call.reduction : abi::REDUCE_OP_UNSPECIFIED, storeOf(calls));
}

} // namespace

int64_t workUnitCount(MemberCalls calls) {
  const CollectiveCall &call = *calls[0];
  if (calls.size() == 1 && call.source == call.destination)
    return 0; // a single member's source is the result, already in place
  switch (call.kind) {
  case abi::ALL_REDUCE:
  case abi::REDUCE:
  case abi::REDUCE_SCATTER:
  case abi::BROADCAST:
    return unitsOf(call.count());
  case abi::ALL_GATHER:
    return unitsOf(call.count()) * calls.size();
  case abi::ALL_TO_ALL:
  case abi::COLLECTIVE_PERMUTE:
  case abi::BLOCK_EXCHANGE:
    return calls.size();
  default:
    return 0;
  }
}

static void moveBytes(MemberCalls calls, int64_t unit) {
  switch (calls[0]->kind) {
  case abi::ALL_REDUCE:
  case abi::REDUCE:
    return allReduceUnit(calls, unit);
  case abi::REDUCE_SCATTER:
    return reduceScatterUnit(calls, unit);
  case abi::BROADCAST:
    return broadcastUnit(calls, unit);
  case abi::ALL_GATHER:
    return allGatherUnit(calls, unit);
  case abi::ALL_TO_ALL:
    return allToAllUnit(calls, unit);
  case abi::COLLECTIVE_PERMUTE:
  case abi::BLOCK_EXCHANGE:
    return boxesUnit(calls, unit);
  default:
    return;
  }
}

void doWorkUnit(MemberCalls calls, int64_t unit) {
  moveBytes(calls, unit);
  finishStores(storeOf(calls));
}

} // namespace pcc::runtime::local
