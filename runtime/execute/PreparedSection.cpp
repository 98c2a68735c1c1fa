// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/PreparedSection.h"

#include "runtime/abi/OperandRanges.h"
#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"
#include "runtime/execute/PrepareCollective.h"

#include <algorithm>
#include <numeric>

namespace pcc::runtime {
namespace {

bool readsInput(const abi::Record &record, const PrepareContext &context) {
  auto ranges = abi::operandRanges(context.executable, context.program, record);
  return std::any_of(ranges.begin(), ranges.end(), [&](const abi::OperandRange &range) {
    const abi::Buffer &buffer = context.program.memory().buffers(int(range.operand->buffer()));
    return buffer.space() == abi::INPUT && range.reads != abi::Reads::No;
  });
}

/// After how many ring indices a record works on the same bytes again.
uint64_t periodOf(const abi::Record &record, const PrepareContext &context) {
  uint64_t period = 1;
  for (const abi::OperandRange &range :
       abi::operandRanges(context.executable, context.program, record))
    period = std::lcm(
        period, abi::ringLength(context.program.memory().buffers(int(range.operand->buffer()))));
  return period;
}

/// Calls `prepare` with the context for each of the ring indices 0 … period-1.
template <typename Prepare>
Status forEachIndex(uint64_t period, const PrepareContext &context, Prepare prepare) {
  for (uint64_t index = 0; index < period; ++index) {
    RankMemory memory = context.memory;
    memory.ringIndex = index;
    if (Status status =
            prepare(PrepareContext{context.executable, context.program, memory, context.rank});
        !status.ok())
      return status;
  }
  return {};
}

std::vector<PreparedWait> waitsOf(const abi::Record &record) {
  std::vector<PreparedWait> waits;
  for (int w = 0; w < record.waits_size(); ++w)
    waits.push_back({record.waits(w), abi::behindOf(record, w)});
  return waits;
}

/// A peer below zero means that the rank sits out.
bool takesPart(const CollectiveCall &call) { return !isPointToPoint(call.kind) || call.root >= 0; }

} // namespace

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
  for (PreparedBatch *batch : std::vector(flying)) { // finish() takes them from the list
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

/// Waits for the oldest flight of a batch that has one.
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
             std::max(flight.startTime, passage.begin), std::max(flight.startTime, passage.end)});
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

/// Starts a batch; this may wait for others, where too many are in flight.
static Status start(PreparedBatch &batch, uint64_t number, Progress &progress) {
  Flight flight{.request = {},
                .number = number,
                .startTime = nowNanoseconds(),
                .calls = batch.callsOf[number % batch.callsOf.size()]};
  Progress::Waiting waiting(progress, flight.startTime);
  Expected<Request> request = batch.communicator->start(flight.calls);
  if (!request)
    return request.status();
  flight.request = *request;
  batch.flights.push_back(flight);
  return {};
}

Expected<PreparedSection> PreparedSection::prepare(int index, const PrepareContext &context,
                                                   Device &device, const RankGroups &groups) {
  PreparedSection section;
  section.device = &device;
  check::Neighbours neighbours(context.executable, context.program);
  for (const abi::Record &record : context.program.sections(index).records()) {
    section.usesInput |= runtime::readsInput(record, context);
    if (record.has_collective())
      section.addCollective(record, groups, neighbours);
    else if (Status status = section.addLocal(record, context); !status.ok())
      return std::move(status).at({.rank = context.rank,
                                   .section = context.program.sections(index).name(),
                                   .op = record.op(),
                                   .location = record.location()});
  }
  for (Step &step : section.steps)
    if (step.batch)
      section.prepareCalls(step, context);
  return section;
}

Status PreparedSection::addLocal(const abi::Record &record, const PrepareContext &context) {
  Step &step = steps.emplace_back(Step{.record = &record, .waits = waitsOf(record)});
  return forEachIndex(periodOf(record, context), context, [&](const PrepareContext &copy) {
    Expected<std::unique_ptr<PreparedRecord>> local = device->prepare(record, copy);
    if (local)
      step.local.push_back(std::move(*local));
    return local.status();
  });
}

void PreparedSection::addCollective(const abi::Record &record, const RankGroups &groups,
                                    const check::Neighbours &neighbours) {
  bool joins =
      !steps.empty() && steps.back().batch && neighbours.join(steps.back().batch->records, record);
  if (!joins) {
    steps.push_back({.record = &record, .batch = std::make_unique<PreparedBatch>()});
    steps.back().batch->communicator = isPointToPoint(record.collective().kind())
                                           ? groups.world.get()
                                           : groups.groups[record.collective().group()].get();
  }
  Step &step = steps.back();
  std::vector<PreparedWait> waits = waitsOf(record);
  step.waits.insert(step.waits.end(), waits.begin(), waits.end());
  step.batch->signals.insert(step.batch->signals.end(), record.signals().begin(),
                             record.signals().end());
  step.batch->records.push_back(&record);
}

/// The calls of a batch in which this rank takes part, for each ring index.
void PreparedSection::prepareCalls(Step &step, const PrepareContext &context) {
  PreparedBatch &batch = *step.batch;
  uint64_t period = 1;
  for (const abi::Record *record : batch.records)
    period = std::lcm(period, periodOf(*record, context));
  (void)forEachIndex(period, context, [&](const PrepareContext &copy) {
    std::vector<CollectiveCall> &calls = batch.callsOf.emplace_back();
    for (const abi::Record *record : batch.records)
      if (CollectiveCall call = prepareCollective(record->collective(), copy); takesPart(call)) {
        calls.push_back(std::move(call));
        if (batch.callsOf.size() == 1)
          batch.parts.push_back(record);
      }
    return Status();
  });
  // It goes by its first call.
  step.record = batch.record = batch.parts.empty() ? batch.records.front() : batch.parts.front();
}

Status PreparedSection::run(const SlotValues &slot, EventTable &events, Progress &progress,
                            Trace &trace) {
  for (Step &step : steps)
    if (Status status = runStep(step, slot, events, progress, trace); !status.ok())
      return std::move(status).at({.op = step.record->op(), .location = step.record->location()});
  return {};
}

Status PreparedSection::runStep(Step &step, const SlotValues &slot, EventTable &events,
                                Progress &progress, Trace &trace) {
  for (const PreparedWait &wait : step.waits)
    if (Status status = events.wait(wait, slot.ringIndex, progress, trace); !status.ok())
      return status;
  if (step.batch && step.batch->callsOf.front().empty())
    return {};
  progress.enter(step.record);
  if (!step.batch) {
    int64_t begin = nowNanoseconds();
    if (events.watch)
      events.watch->begin({&step.record, 1}, slot.ringIndex);
    Status status = step.local[slot.ringIndex % step.local.size()]->run(slot);
    if (events.watch)
      events.watch->end({&step.record, 1}, slot.ringIndex);
    progress.leave(step.record);
    trace.add({step.record, slot.step, begin, nowNanoseconds()});
    return status;
  }
  PreparedBatch &batch = *step.batch;
  if (step.record->lane() != abi::TRANSFER)
    if (Status status = events.finish(batch, progress, trace); !status.ok())
      return status;
  // Others read the rank's memory as soon as it has come, and write to it, so what was run before
  // has to be done. A communicator that enqueues would not need it.
  if (Status status = device->synchronise(); !status.ok())
    return status;
  if (Status status = start(batch, slot.ringIndex, progress); !status.ok())
    return status;
  if (events.watch)
    events.watch->begin(batch.parts, slot.ringIndex);
  events.signalLater(batch);
  return step.record->lane() == abi::COMPUTE ? events.finish(batch, progress, trace) : Status();
}

} // namespace pcc::runtime
