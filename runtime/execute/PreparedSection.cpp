// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/PreparedSection.h"

#include "runtime/execute/PrepareCollective.h"

#include <algorithm>

namespace pcc::runtime {
namespace {

bool isInput(const PrepareContext &context, const abi::Operand &operand) {
  return context.program.memory().buffers(int(operand.buffer())).space() == abi::INPUT;
}

bool attentionReadsInput(const abi::Attention &attention, const PrepareContext &context) {
  return isInput(context, attention.query()) || isInput(context, attention.key()) ||
         isInput(context, attention.value()) ||
         (attention.has_mask() && isInput(context, attention.mask())) ||
         (attention.has_offset() && isInput(context, attention.offset())) ||
         (attention.has_gradients() &&
          (isInput(context, attention.result()) || isInput(context, attention.log_sum()) ||
           isInput(context, attention.gradients().result())));
}

bool recordReadsInput(const abi::Record &record, const PrepareContext &context) {
  switch (record.kind_case()) {
  case abi::Record::kLaunch:
    return std::any_of(record.launch().operands().begin(), record.launch().operands().end(),
                       [&](const abi::Operand &operand) { return isInput(context, operand); });
  case abi::Record::kMatmul:
    return isInput(context, record.matmul().a()) || isInput(context, record.matmul().b()) ||
           (record.matmul().has_bias() && isInput(context, record.matmul().bias()));
  case abi::Record::kAttention:
    return attentionReadsInput(record.attention(), context);
  case abi::Record::kConvolution:
    return isInput(context, record.convolution().input()) ||
           isInput(context, record.convolution().weight()) ||
           isInput(context, record.convolution().result()) ||
           (record.convolution().has_bias() && isInput(context, record.convolution().bias()));
  case abi::Record::kCollective:
    return record.collective().has_source() && isInput(context, record.collective().source());
  case abi::Record::kCopy:
    return isInput(context, record.copy().source());
  case abi::Record::kAccumulate:
    return isInput(context, record.accumulate().source());
  default:
    return false;
  }
}

/// A peer below zero means that the rank sits out.
bool takesPart(const CollectiveCall &call) { return !isPointToPoint(call.kind) || call.root >= 0; }

/// True if a record with these waits and this call may join the batch before it.
bool mayJoin(const PreparedBatch &batch, const abi::Record &record, const CollectiveCall &call,
             const Communicator *communicator) {
  if (batch.communicator != communicator || batch.record->lane() != record.lane() ||
      isPointToPoint(batch.record->collective().kind()) != isPointToPoint(call.kind))
    return false;
  bool waitsForBatch =
      std::any_of(record.waits().begin(), record.waits().end(), [&](uint32_t event) {
        return std::find(batch.signals.begin(), batch.signals.end(), event) != batch.signals.end();
      });
  return !waitsForBatch &&
         std::none_of(batch.calls.begin(), batch.calls.end(), [&](const CollectiveCall &other) {
           return conflict(other, call, communicator->size());
         });
}

} // namespace

void EventTable::signalLater(PreparedBatch &batch) {
  for (uint32_t event : batch.signals)
    pending[event] = &batch;
  flying.push_back(&batch);
}

Status EventTable::wait(uint32_t event, Progress &progress, Trace &trace) {
  return pending[event] ? finish(*pending[event], progress, trace) : Status();
}

Status EventTable::finishWriters(const std::byte *begin, int64_t bytes, Progress &progress,
                                 Trace &trace) {
  for (PreparedBatch *batch : std::vector(flying)) { // finish() takes them from the list
    auto writesThere = [&](const CollectiveCall &call) {
      return writes(call, begin, bytes, batch->communicator->size());
    };
    if (std::any_of(batch->calls.begin(), batch->calls.end(), writesThere))
      if (Status status = finish(*batch, progress, trace); !status.ok())
        return status;
  }
  return {};
}

Status EventTable::finish(PreparedBatch &batch, Progress &progress, Trace &trace) {
  if (!batch.inFlight)
    return {};
  int64_t begin = nowNanoseconds();
  progress.enter(batch.record);
  Status status;
  {
    Progress::Waiting waiting(progress, begin);
    status = batch.communicator->wait(batch.request);
  }
  progress.leave(batch.record);
  trace.add({batch.record, progress.step.load(std::memory_order_relaxed), batch.startTime,
             nowNanoseconds()});
  batch.inFlight = false;
  for (uint32_t event : batch.signals)
    pending[event] = nullptr;
  std::erase(flying, &batch);
  return std::move(status).at({.op = batch.record->op(), .location = batch.record->location()});
}

Status EventTable::finishAll(Progress &progress, Trace &trace) {
  while (!flying.empty())
    if (Status status = finish(*flying.front(), progress, trace); !status.ok())
      return status;
  return {};
}

/// Starts a batch; this may wait for others, where too many are in flight.
static Status start(PreparedBatch &batch, Progress &progress) {
  batch.startTime = nowNanoseconds();
  Progress::Waiting waiting(progress, batch.startTime);
  Expected<Request> request = batch.communicator->start(batch.calls);
  if (!request)
    return request.status();
  batch.request = *request;
  batch.inFlight = true;
  return {};
}

Expected<PreparedSection> PreparedSection::prepare(int index, const PrepareContext &context,
                                                   Device &device, const RankGroups &groups) {
  PreparedSection section;
  for (const abi::Record &record : context.program.sections(index).records()) {
    section.usesInput |= recordReadsInput(record, context);
    if (record.has_collective()) {
      section.addCollective(record, context, groups);
      continue;
    }
    Expected<std::unique_ptr<PreparedRecord>> local = device.prepare(record, context);
    if (!local)
      return local.status().at({.rank = context.rank,
                                .section = context.program.sections(index).name(),
                                .op = record.op(),
                                .location = record.location()});
    section.steps.push_back({.record = &record,
                             .local = std::move(*local),
                             .waits = {record.waits().begin(), record.waits().end()}});
  }
  return section;
}

void PreparedSection::addCollective(const abi::Record &record, const PrepareContext &context,
                                    const RankGroups &groups) {
  const abi::Collective &collective = record.collective();
  CollectiveCall call = prepareCollective(collective, context);
  Communicator *communicator =
      isPointToPoint(call.kind) ? groups.world : groups.groups[collective.group()].get();
  bool joins = !steps.empty() && steps.back().batch &&
               mayJoin(*steps.back().batch, record, call, communicator);
  if (!joins) {
    steps.push_back({.record = &record, .batch = std::make_unique<PreparedBatch>()});
    steps.back().batch->communicator = communicator;
    steps.back().batch->record = &record;
  }
  Step &step = steps.back();
  step.waits.insert(step.waits.end(), record.waits().begin(), record.waits().end());
  step.batch->signals.insert(step.batch->signals.end(), record.signals().begin(),
                             record.signals().end());
  if (!takesPart(call))
    return;
  if (step.batch->calls.empty())
    step.record = step.batch->record = &record; // the batch goes by its first call
  step.batch->calls.push_back(std::move(call));
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
  for (uint32_t event : step.waits)
    if (Status status = events.wait(event, progress, trace); !status.ok())
      return status;
  if (step.batch && step.batch->calls.empty())
    return {};
  progress.enter(step.record);
  if (step.local) {
    int64_t begin = nowNanoseconds();
    Status status = step.local->run(slot);
    progress.leave(step.record);
    trace.add({step.record, slot.step, begin, nowNanoseconds()});
    return status;
  }
  PreparedBatch &batch = *step.batch;
  if (Status status = events.finish(batch, progress, trace); !status.ok())
    return status;
  if (Status status = start(batch, progress); !status.ok())
    return status;
  events.signalLater(batch);
  return step.record->lane() == abi::COMPUTE ? events.finish(batch, progress, trace) : Status();
}

} // namespace pcc::runtime
