// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/HappensBefore.h"

#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"

#include <algorithm>

namespace pcc::check {
namespace {

void merge(Clock &into, const Clock &other) {
  for (size_t i = 0; i < other.size(); ++i) // an empty clock knows nothing
    into[i] = std::max(into[i], other[i]);
}

} // namespace

HappensBefore::HappensBefore(const ProgramIndex &index, const Arrivals *arrivals)
    : index(index), arrivals(arrivals) {
  for (const abi::Record *record : index.records)
    for (int w = 0; w < record->waits_size(); ++w)
      if (abi::behindOf(*record, w) > 0)
        signalledFor[record->waits(w)];
  finish();
}

void HappensBefore::enterSlot(const abi::Slot &slot) {
  enterThread();
  slotBegin = compute;
  number = abi::ringIndex(index.executable.batch(), slot);
}

void HappensBefore::finish() {
  now.assign(index.clocks, 0);
  compute = slotBegin = now;
  signalled.assign(index.program.events(), {});
  doneBy.assign(index.clocks, {});
  for (auto &[event, byNumber] : signalledFor)
    byNumber.clear();
  runs.assign(index.clocks, 0);
  computed = 0;
}

void HappensBefore::waitForEvents(const abi::Record &record) {
  for (int w = 0; w < record.waits_size(); ++w) {
    uint32_t event = record.waits(w), behind = abi::behindOf(record, w);
    if (behind == 0) {
      merge(now, signalled[event]);
      continue;
    }
    const std::map<uint64_t, Clock> &byNumber = signalledFor[event];
    if (std::optional<uint64_t> awaited = abi::awaitedNumber(behind, number))
      if (auto known = byNumber.find(*awaited); known != byNumber.end())
        merge(now, known->second);
  }
}

void HappensBefore::enter(uint32_t record) {
  entered = record;
  const abi::Record &entry = *index.records[record];
  uint32_t clock = index.clockOf[record];
  if (entry.lane() == abi::COMPUTE)
    now = compute;
  else if (entry.lane() == abi::COMMUNICATION)
    now = entry.collective().fused() ? messageBegin : slotBegin;
  else
    now.assign(index.clocks, 0);
  if (entry.lane() != abi::TRANSFER) // TRANSFER messages overlap their earlier runs
    merge(now, doneBy[clock]);
  waitForEvents(entry);
  if (entry.lane() == abi::COMMUNICATION && !entry.collective().fused()) {
    messageBegin = now;
    messageDone.clear();
  }
  count = clock == 0 ? computed + 1 : ++runs[clock];
  bool isKnown = arrivals && count <= (*arrivals)[clock].size();
  arrival = isKnown ? &(*arrivals)[clock][count - 1] : nullptr;
}

void HappensBefore::leave() {
  const abi::Record &record = *index.records[entered];
  uint32_t clock = index.clockOf[entered];
  now[clock] = std::max(now[clock], count);
  merge(now, doneBy[clock]); // earlier runs finish first
  if (record.lane() == abi::COMPUTE)
    now[0] = ++computed;
  if (arrival)
    merge(now, *arrival);
  if (record.lane() == abi::COMMUNICATION) {
    merge(now, messageDone);
    messageDone = now;
  }
  if (clock != 0)
    doneBy[clock] = now;
  if (record.lane() == abi::COMPUTE)
    compute = now;
  for (uint32_t event : record.signals()) {
    signalled[event] = now;
    if (auto byNumber = signalledFor.find(event); byNumber != signalledFor.end())
      byNumber->second[number] = now;
  }
}

void HappensBefore::waitFor(Moment moment) {
  if (isDone(moment))
    return;
  merge(now, doneBy[moment.clock]);
  compute = now;
}

} // namespace pcc::check
