// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait finishes the in-flight runs of the signaling batch, oldest first, until the awaited run is
// done. An event without an in-flight batch counts as signaled.

#include "runtime/execute/rank/PreparedSection.h"

#include "runtime/abi/program/Waits.h"
#include "runtime/execute/observe/PeakMemoryTracker.h"
#include "runtime/execute/rank/PrepareCollective.h"

#include <algorithm>

namespace pcc::runtime {

void EventTable::addInFlight(PreparedBatch &batch) {
  for (uint32_t event : batch.signals)
    pending[event] = &batch;
  if (std::find(inFlightBatches.begin(), inFlightBatches.end(), &batch) == inFlightBatches.end())
    inFlightBatches.push_back(&batch);
}

Status EventTable::wait(const PreparedWait &wait, uint64_t ringIndex, Progress &progress,
                        Trace &trace) {
  PreparedBatch *batch = pending[wait.event];
  if (!batch)
    return {};
  if (wait.behind == 0)
    return finish(*batch, progress, trace);
  std::optional<uint64_t> awaited = abi::awaitedNumber(wait.behind, ringIndex);
  auto isAwaited = [&](const InFlightBatch &flight) { return flight.ringIndex == awaited; };
  Status status;
  while (status.ok() && std::any_of(batch->inFlight.begin(), batch->inFlight.end(), isAwaited))
    status = finishOldest(*batch, progress, trace);
  return status;
}

Status EventTable::finishWriters(const std::byte *begin, int64_t bytes, Progress &progress,
                                 Trace &trace) {
  for (PreparedBatch *batch :
       std::vector(inFlightBatches)) { // finish() erases from `inFlightBatches`
    auto writesThere = [&](const InFlightBatch &flight) {
      return std::any_of(flight.calls.begin(), flight.calls.end(), [&](const CollectiveCall &call) {
        return writes(call, begin, bytes, batch->communicator->size());
      });
    };
    if (std::any_of(batch->inFlight.begin(), batch->inFlight.end(), writesThere))
      if (Status status = finish(*batch, progress, trace); !status.ok())
        return status;
  }
  return {};
}

Status EventTable::finish(PreparedBatch &batch, Progress &progress, Trace &trace) {
  Status status;
  while (status.ok() && !batch.inFlight.empty())
    status = finishOldest(batch, progress, trace);
  return status;
}

/// Waits for the oldest in-flight run of a batch that has one.
Status EventTable::finishOldest(PreparedBatch &batch, Progress &progress, Trace &trace) {
  InFlightBatch flight = batch.inFlight.front();
  int64_t begin = nowNanoseconds();
  progress.enter(batch.instruction);
  Status status;
  TransferInterval interval;
  {
    Progress::Waiting waiting(progress, begin);
    status = batch.communicator->wait(flight.request, interval);
  }
  progress.leave(batch.instruction);
  trace.add({batch.instruction, progress.step.load(std::memory_order_relaxed),
             std::max(flight.startTime, interval.begin), std::max(flight.startTime, interval.end)},
            std::move(interval.deviceSpans));
  if (memoryTracker)
    memoryTracker->end(batch.participating, flight.ringIndex);
  batch.inFlight.pop_front();
  if (batch.inFlight.empty()) {
    for (uint32_t event : batch.signals)
      pending[event] = nullptr;
    std::erase(inFlightBatches, &batch);
  }
  return std::move(status).at(
      {.op = batch.instruction->op(), .location = batch.instruction->location()});
}

Status EventTable::finishAll(Progress &progress, Trace &trace) {
  while (!inFlightBatches.empty())
    if (Status status = finish(*inFlightBatches.front(), progress, trace); !status.ok())
      return status;
  return {};
}

} // namespace pcc::runtime
