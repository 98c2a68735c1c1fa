// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/EventTable.h"

#include "runtime/abi/Waits.h"
#include "runtime/execute/PrepareCollective.h"

#include <algorithm>

namespace pcc::runtime {

void EventTable::signalLater(PreparedBatch &batch) {
  for (uint32_t event : batch.signals)
    pending[event] = &batch;
  if (std::find(flying.begin(), flying.end(), &batch) == flying.end())
    flying.push_back(&batch);
}

Status EventTable::wait(const PreparedWait &wait, uint64_t number, Progress &progress,
                        Trace &trace) {
  PreparedBatch *batch = pending[wait.event];
  if (!batch)
    return {};
  if (wait.behind == 0)
    return finish(*batch, progress, trace);
  std::optional<uint64_t> awaited = abi::awaitedNumber(wait.behind, number);
  auto isAwaited = [&](const Flight &flight) { return flight.number == awaited; };
  Status status;
  while (status.ok() && std::any_of(batch->flights.begin(), batch->flights.end(), isAwaited))
    status = finishFirst(*batch, progress, trace);
  return status;
}

Status EventTable::finishWriters(const std::byte *begin, int64_t bytes, Progress &progress,
                                 Trace &trace) {
  for (PreparedBatch *batch : std::vector(flying)) { // finish() erases from `flying`
    auto writesThere = [&](const Flight &flight) {
      return std::any_of(flight.calls.begin(), flight.calls.end(), [&](const CollectiveCall &call) {
        return writes(call, begin, bytes, batch->communicator->size());
      });
    };
    if (std::any_of(batch->flights.begin(), batch->flights.end(), writesThere))
      if (Status status = finish(*batch, progress, trace); !status.ok())
        return status;
  }
  return {};
}

Status EventTable::finish(PreparedBatch &batch, Progress &progress, Trace &trace) {
  Status status;
  while (status.ok() && !batch.flights.empty())
    status = finishFirst(batch, progress, trace);
  return status;
}

/// Waits for the oldest in-flight run of a batch that has one.
Status EventTable::finishFirst(PreparedBatch &batch, Progress &progress, Trace &trace) {
  Flight flight = batch.flights.front();
  int64_t begin = nowNanoseconds();
  progress.enter(batch.record);
  Status status;
  Passage passage;
  {
    Progress::Waiting waiting(progress, begin);
    status = batch.communicator->wait(flight.request, passage);
  }
  progress.leave(batch.record);
  trace.add({batch.record, progress.step.load(std::memory_order_relaxed),
             std::max(flight.startTime, passage.begin), std::max(flight.startTime, passage.end)},
            std::move(passage.places));
  if (watch)
    watch->end(batch.parts, flight.number);
  batch.flights.pop_front();
  if (batch.flights.empty()) {
    for (uint32_t event : batch.signals)
      pending[event] = nullptr;
    std::erase(flying, &batch);
  }
  return std::move(status).at({.op = batch.record->op(), .location = batch.record->location()});
}

Status EventTable::finishAll(Progress &progress, Trace &trace) {
  while (!flying.empty())
    if (Status status = finish(*flying.front(), progress, trace); !status.ok())
      return status;
  return {};
}

} // namespace pcc::runtime
