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

/// Returns the number of ring indices after which an instruction touches the same bytes again.
uint64_t periodOf(const abi::Record &record, const PrepareContext &context) {
  uint64_t period = 1;
  for (const abi::OperandRange &range :
       abi::operandRanges(context.executable, context.program, record))
    period = std::lcm(
        period, abi::ringLength(context.program.memory().buffers(int(range.operand->buffer()))));
  return period;
}

/// Calls `prepare` with the context of each ring index 0 … period-1.
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

/// Returns whether the rank takes part: a negative peer means that it does not.
bool takesPart(const CollectiveCall &call) { return !isPointToPoint(call.kind) || call.root >= 0; }

} // namespace

/// Starts a batch. This may wait for other ranks if too many batches are in flight.
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
                                                   Device &device, const RankGroups &groups,
                                                   Manner manner) {
  PreparedSection section;
  section.device = &device;
  section.checksRecords = manner.isChecked;
  section.waitsWithDevice = groups.waitWithDevice();
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
      if (Status status = section.prepareCalls(step, context); !status.ok())
        return std::move(status).at({.rank = context.rank,
                                     .section = context.program.sections(index).name(),
                                     .op = step.record->op(),
                                     .location = step.record->location()});
  if (!manner.isChecked && !manner.isSeen)
    section.joinSteps();
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

/// Prepares the calls of a batch in which this rank takes part, for each ring index.
Status PreparedSection::prepareCalls(Step &step, const PrepareContext &context) {
  PreparedBatch &batch = *step.batch;
  uint64_t period = 1;
  for (const abi::Record *record : batch.records)
    period = std::lcm(period, periodOf(*record, context));
  Status reserved = forEachIndex(period, context, [&](const PrepareContext &copy) {
    std::vector<CollectiveCall> &calls = batch.callsOf.emplace_back();
    for (const abi::Record *record : batch.records)
      if (CollectiveCall call = prepareCollective(record->collective(), copy); takesPart(call)) {
        calls.push_back(std::move(call));
        if (batch.callsOf.size() == 1)
          batch.parts.push_back(record);
      }
    return batch.communicator->reserve(calls);
  });
  // The batch is named after its first call.
  step.record = batch.record = batch.parts.empty() ? batch.records.front() : batch.parts.front();
  return reserved;
}

/// Joins steps that the device runs without interruption: no batch, no wait, nothing that depends
/// on the step number.
void PreparedSection::joinSteps() {
  auto changesWithStep = [](const std::unique_ptr<PreparedRecord> &record) {
    return record->uses().step;
  };
  auto canJoin = [&](const Step &step) {
    return !step.batch && std::none_of(step.local.begin(), step.local.end(), changesWithStep);
  };
  for (size_t begin = 0, end; begin < steps.size(); begin = end) {
    end = begin + 1;
    if (!canJoin(steps[begin]))
      continue;
    size_t period = steps[begin].local.size();
    for (; end < steps.size() && canJoin(steps[end]) && steps[end].waits.empty(); ++end)
      period = std::lcm(period, steps[end].local.size());
    if (end - begin < 2)
      continue;
    Joined joined{end, {}};
    for (size_t index = 0; index < period; ++index) {
      std::vector<RecordToRun> records;
      for (size_t i = begin; i < end; ++i)
        records.push_back({steps[i].record, steps[i].local[index % steps[i].local.size()].get()});
      joined.whole.push_back(device->join(std::move(records)));
    }
    if (joined.whole.front())
      steps[begin].joined = std::move(joined);
  }
}

void PreparedSection::makeReady(const SlotValues &slot) {
  for (Step &step : steps)
    if (step.joined)
      step.joined->whole[slot.ringIndex % step.joined->whole.size()]->makeReady(slot);
}

Status PreparedSection::run(const SlotValues &slot, EventTable &events, Progress &progress,
                            Trace &trace) {
  for (size_t i = 0; i < steps.size();) {
    Step &step = steps[i];
    bool isJoined = step.joined && !events.watch;
    Status status = waitBefore(step, slot, events, progress, trace);
    if (status.ok())
      status = isJoined ? runJoined(step, slot, progress, trace)
                        : runStep(step, slot, events, progress, trace);
    if (!status.ok())
      return std::move(status).at({.op = step.record->op(), .location = step.record->location()});
    i = isJoined ? step.joined->end : i + 1;
  }
  return {};
}

Status PreparedSection::waitBefore(const Step &step, const SlotValues &slot, EventTable &events,
                                   Progress &progress, Trace &trace) {
  for (const PreparedWait &wait : step.waits)
    if (Status status = events.wait(wait, slot.ringIndex, progress, trace); !status.ok())
      return status;
  return {};
}

/// Marks the rank as waiting for other ranks during its lifetime, if the device may wait for them:
/// even enqueueing waits if the queue is full.
Progress::Waiting PreparedSection::waitingForDevice(Progress &progress) const {
  return {progress, waitsWithDevice ? nowNanoseconds() : 0};
}

Status PreparedSection::runJoined(Step &step, const SlotValues &slot, Progress &progress,
                                  Trace &trace) {
  std::vector<std::unique_ptr<PreparedRecord>> &whole = step.joined->whole;
  progress.enter(step.record);
  Progress::Waiting waiting = waitingForDevice(progress);
  Moment begin = trace.now(*device);
  Status status = whole[slot.ringIndex % whole.size()]->run(slot);
  const abi::Record *last = steps[step.joined->end - 1].record;
  progress.leave(last);
  trace.add(*step.record, slot.step, std::move(begin), trace.now(*device));
  return status;
}

Status PreparedSection::runStep(Step &step, const SlotValues &slot, EventTable &events,
                                Progress &progress, Trace &trace) {
  if (!step.batch)
    return runLocal(step, slot, events, progress, trace);
  return step.batch->callsOf.front().empty() ? Status()
                                             : runBatch(step, slot, events, progress, trace);
}

Status PreparedSection::runLocal(Step &step, const SlotValues &slot, EventTable &events,
                                 Progress &progress, Trace &trace) {
  progress.enter(step.record);
  Progress::Waiting waiting = waitingForDevice(progress);
  Moment begin = trace.now(*device);
  if (events.watch)
    events.watch->begin({&step.record, 1}, slot.ringIndex);
  Status status = step.local[slot.ringIndex % step.local.size()]->run(slot);
  Moment end = trace.now(*device);
  if (checksRecords && status.ok())
    status = device->synchronise();
  if (events.watch)
    events.watch->end({&step.record, 1}, slot.ringIndex);
  progress.leave(step.record);
  trace.add(*step.record, slot.step, std::move(begin), std::move(end));
  return status;
}

Status PreparedSection::runBatch(Step &step, const SlotValues &slot, EventTable &events,
                                 Progress &progress, Trace &trace) {
  progress.enter(step.record);
  PreparedBatch &batch = *step.batch;
  if (step.record->lane() != abi::TRANSFER)
    if (Status status = events.finish(batch, progress, trace); !status.ok())
      return status;
  // Other ranks read and write this rank's memory as soon as it joins the collective.
  if (!batch.communicator->isEnqueued())
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
