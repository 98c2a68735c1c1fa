// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups instructions into steps, then prepares the calls of batches for each ring index, and joins
// device instructions last. At run time, a batch first finishes its previous run, except on
// TRANSFER.

#include "runtime/execute/rank/PreparedSection.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/Waits.h"
#include "runtime/abi/validate/OperandRanges.h"
#include "runtime/execute/observe/PeakMemoryTracker.h"
#include "runtime/execute/rank/PrepareCollective.h"

#include <algorithm>
#include <numeric>

namespace pcc::runtime {
namespace {

bool readsInput(const abi::Instruction &instruction, const PrepareContext &context) {
  auto ranges = abi::operandRanges(context.executable, context.program, instruction);
  return std::any_of(ranges.begin(), ranges.end(), [&](const abi::OperandRange &range) {
    const abi::Buffer &buffer = context.program.memory().buffers(int(range.operand->buffer()));
    return buffer.space() == abi::INPUT && range.reads != abi::Reads::No;
  });
}

/// Returns the number of ring indices after which an instruction touches the same bytes again: the
/// least common multiple of the depths of its operands' rings.
uint64_t periodOf(const abi::Instruction &instruction, const PrepareContext &context) {
  uint64_t period = 1;
  for (const abi::OperandRange &range :
       abi::operandRanges(context.executable, context.program, instruction))
    period = std::lcm(
        period, abi::ringDepth(context.program.memory().buffers(int(range.operand->buffer()))));
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

std::vector<PreparedWait> waitsOf(const abi::Instruction &instruction) {
  std::vector<PreparedWait> waits;
  for (int w = 0; w < instruction.waits_size(); ++w)
    waits.push_back({instruction.waits(w), abi::behindOf(instruction, w)});
  return waits;
}

/// Returns whether the rank takes part: a negative peer, which is the root of a message's call,
/// means that it does not.
bool takesPart(const CollectiveCall &call) { return !isPointToPoint(call.kind) || call.root >= 0; }

} // namespace

/// Starts a batch. This may wait for other ranks if too many batches are in flight.
static Status start(PreparedBatch &batch, uint64_t ringIndex, Progress &progress) {
  InFlightBatch flight{.request = {},
                       .ringIndex = ringIndex,
                       .startTime = nowNanoseconds(),
                       .calls = batch.callsOf[ringIndex % batch.callsOf.size()]};
  Progress::Waiting waiting(progress, flight.startTime);
  Expected<Request> request = batch.communicator->start(flight.calls);
  if (!request)
    return request.status();
  flight.request = *request;
  batch.inFlight.push_back(flight);
  return {};
}

Expected<PreparedSection> PreparedSection::prepare(int index, const PrepareContext &context,
                                                   Device &device, const RankGroups &groups,
                                                   RunMode mode) {
  PreparedSection section;
  section.device = &device;
  section.checksInstructions = mode.waitsForEach || mode.finiteCheck;
  section.finiteCheck = mode.finiteCheck;
  section.waitsForRanks = groups.deviceWaitsForRanks();
  check::LaunchGrouping grouping(context.executable, context.program);
  for (const abi::Instruction &instruction : context.program.sections(index).instructions()) {
    section.usesInput |= runtime::readsInput(instruction, context);
    if (instruction.has_collective())
      section.addCollective(instruction, groups, grouping);
    else if (Status status = section.addLocal(instruction, context); !status.ok())
      return std::move(status).at({.rank = context.rank,
                                   .section = context.program.sections(index).name(),
                                   .op = instruction.op(),
                                   .location = instruction.location()});
  }
  for (Step &step : section.steps)
    if (step.batch)
      if (Status status = section.prepareCalls(step, context); !status.ok())
        return std::move(status).at({.rank = context.rank,
                                     .section = context.program.sections(index).name(),
                                     .op = step.instruction->op(),
                                     .location = step.instruction->location()});
  if (!section.checksInstructions && !mode.isTraced)
    section.joinSteps();
  return section;
}

Status PreparedSection::addLocal(const abi::Instruction &instruction,
                                 const PrepareContext &context) {
  Step &step = steps.emplace_back(Step{.instruction = &instruction, .waits = waitsOf(instruction)});
  return forEachIndex(periodOf(instruction, context), context, [&](const PrepareContext &indexed) {
    Expected<std::unique_ptr<PreparedInstruction>> local = device->prepare(instruction, indexed);
    if (local)
      step.local.push_back(std::move(*local));
    return local.status();
  });
}

void PreparedSection::addCollective(const abi::Instruction &instruction, const RankGroups &groups,
                                    const check::LaunchGrouping &grouping) {
  bool isBatched = !steps.empty() && steps.back().batch &&
                   grouping.join(steps.back().batch->instructions, instruction);
  if (!isBatched) {
    steps.push_back({.instruction = &instruction, .batch = std::make_unique<PreparedBatch>()});
    steps.back().batch->communicator = isPointToPoint(instruction.collective().kind())
                                           ? groups.world.get()
                                           : groups.groups[instruction.collective().group()].get();
  }
  Step &step = steps.back();
  std::vector<PreparedWait> waits = waitsOf(instruction);
  step.waits.insert(step.waits.end(), waits.begin(), waits.end());
  step.batch->signals.insert(step.batch->signals.end(), instruction.signals().begin(),
                             instruction.signals().end());
  step.batch->instructions.push_back(&instruction);
}

/// Prepares the calls of a batch in which this rank takes part, for each ring index.
Status PreparedSection::prepareCalls(Step &step, const PrepareContext &context) {
  PreparedBatch &batch = *step.batch;
  uint64_t period = 1;
  for (const abi::Instruction *instruction : batch.instructions)
    period = std::lcm(period, periodOf(*instruction, context));
  Status reserved = forEachIndex(period, context, [&](const PrepareContext &indexed) {
    std::vector<CollectiveCall> &calls = batch.callsOf.emplace_back();
    for (const abi::Instruction *instruction : batch.instructions)
      if (CollectiveCall call = prepareCollective(instruction->collective(), indexed);
          takesPart(call)) {
        calls.push_back(std::move(call));
        if (batch.callsOf.size() == 1)
          batch.participating.push_back(instruction);
      }
    return batch.communicator->reserve(calls);
  });
  // The batch is named after its first call.
  step.instruction = batch.instruction =
      batch.participating.empty() ? batch.instructions.front() : batch.participating.front();
  return reserved;
}

/// Joins steps that the device runs without interruption: no batch, no wait after the first of
/// them, nothing that depends on the step number.
void PreparedSection::joinSteps() {
  auto changesWithStep = [](const std::unique_ptr<PreparedInstruction> &instruction) {
    return instruction->uses().step;
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
      std::vector<InstructionToRun> instructions;
      for (size_t i = begin; i < end; ++i)
        instructions.push_back(
            {steps[i].instruction, steps[i].local[index % steps[i].local.size()].get()});
      joined.instructions.push_back(device->join(std::move(instructions)));
    }
    if (joined.instructions.front())
      steps[begin].joined = std::move(joined);
  }
}

void PreparedSection::makeReady(const ActionValues &action) {
  for (Step &step : steps)
    if (step.joined)
      step.joined->instructions[action.ringIndex % step.joined->instructions.size()]->makeReady(
          action);
}

Status PreparedSection::run(const ActionValues &action, EventTable &events, Progress &progress,
                            Trace &trace) {
  for (size_t i = 0; i < steps.size();) {
    Step &step = steps[i];
    bool isJoined = step.joined && !events.memoryTracker;
    Status status = waitBefore(step, action, events, progress, trace);
    if (status.ok())
      status = isJoined ? runJoined(step, action, progress, trace)
                        : runStep(step, action, events, progress, trace);
    if (!status.ok())
      return std::move(status).at(
          {.op = step.instruction->op(), .location = step.instruction->location()});
    i = isJoined ? step.joined->end : i + 1;
  }
  return {};
}

Status PreparedSection::waitBefore(const Step &step, const ActionValues &action, EventTable &events,
                                   Progress &progress, Trace &trace) {
  for (const PreparedWait &wait : step.waits)
    if (Status status = events.wait(wait, action.ringIndex, progress, trace); !status.ok())
      return status;
  return {};
}

/// Marks the rank as waiting for other ranks during its lifetime, if the device may wait for them:
/// even enqueueing waits if the queue is full.
Progress::Waiting PreparedSection::waitingForDevice(Progress &progress) const {
  return {progress, waitsForRanks ? nowNanoseconds() : 0, WaitKind::Device};
}

Status PreparedSection::runJoined(Step &step, const ActionValues &action, Progress &progress,
                                  Trace &trace) {
  std::vector<std::unique_ptr<PreparedInstruction>> &instructions = step.joined->instructions;
  progress.enter(step.instruction);
  Progress::Waiting waiting = waitingForDevice(progress);
  TracePoint begin = trace.now(*device);
  Status status = instructions[action.ringIndex % instructions.size()]->run(action);
  const abi::Instruction *last = steps[step.joined->end - 1].instruction;
  progress.leave(last);
  trace.add(*step.instruction, action.step, std::move(begin), trace.now(*device));
  return status;
}

Status PreparedSection::runStep(Step &step, const ActionValues &action, EventTable &events,
                                Progress &progress, Trace &trace) {
  if (!step.batch)
    return runLocal(step, action, events, progress, trace);
  return step.batch->callsOf.front().empty() ? Status()
                                             : runBatch(step, action, events, progress, trace);
}

Status PreparedSection::runLocal(Step &step, const ActionValues &action, EventTable &events,
                                 Progress &progress, Trace &trace) {
  progress.enter(step.instruction);
  Progress::Waiting waiting = waitingForDevice(progress);
  TracePoint begin = trace.now(*device);
  if (events.memoryTracker)
    events.memoryTracker->begin({&step.instruction, 1}, action.ringIndex);
  Status status = step.local[action.ringIndex % step.local.size()]->run(action);
  TracePoint end = trace.now(*device);
  if (checksInstructions && status.ok())
    status = device->synchronize();
  if (finiteCheck && status.ok())
    status = finiteCheck->check(*step.instruction, action);
  if (events.memoryTracker)
    events.memoryTracker->end({&step.instruction, 1}, action.ringIndex);
  progress.leave(step.instruction);
  trace.add(*step.instruction, action.step, std::move(begin), std::move(end));
  return status;
}

Status PreparedSection::runBatch(Step &step, const ActionValues &action, EventTable &events,
                                 Progress &progress, Trace &trace) {
  PreparedBatch &batch = *step.batch;
  if (step.instruction->stream() != abi::TRANSFER)
    if (Status status = events.finish(batch, progress, trace); !status.ok())
      return status;
  progress.enter(step.instruction);
  // Other ranks read and write this rank's memory as soon as it joins the collective.
  if (!batch.communicator->isEnqueued())
    if (Status status = device->synchronize(); !status.ok())
      return status;
  if (Status status = start(batch, action.ringIndex, progress); !status.ok())
    return status;
  if (events.memoryTracker)
    events.memoryTracker->begin(batch.participating, action.ringIndex);
  events.addInFlight(batch);
  return step.instruction->stream() == abi::COMPUTE ? events.finish(batch, progress, trace)
                                                    : Status();
}

} // namespace pcc::runtime
