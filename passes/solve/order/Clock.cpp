// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulation of a pipeline without an event queue. It stores the end of each forward and backward
// by stage and microbatch. run() visits the devices in turn and runs what is ready. A pass without
// progress ends it; actions that are left over then are a deadlock.
#include "passes/solve/order/Clock.h"

#include <algorithm>

namespace pcc::order {

Clock::Clock(const PipelineShape &shape, const PipelineTimes &times)
    : shape(shape), times(times), forwardEnds(size_t(shape.stages()) * shape.microbatches, -1),
      backwardEnds(forwardEnds), clocks(shape.devices), lives(shape.devices), peaks(shape.devices) {
}

std::optional<double> Clock::arrival(const std::vector<double> &ends, int stage, int64_t microbatch,
                                     int device) const {
  double end = ends[stage * shape.microbatches + microbatch];
  if (end < 0)
    return std::nullopt;
  return shape.deviceOf(stage) == device ? end : end + times.latency;
}

std::optional<double> Clock::forwardReady(int device, int64_t microbatch, int chunk) const {
  int stage = shape.stageOf(device, chunk);
  return stage == 0 ? 0 : arrival(forwardEnds, stage - 1, microbatch, device);
}

std::optional<double> Clock::backwardReady(int device, int64_t microbatch, int chunk) const {
  int stage = shape.stageOf(device, chunk);
  return stage == shape.stages() - 1 ? arrival(forwardEnds, stage, microbatch, device)
                                     : arrival(backwardEnds, stage + 1, microbatch, device);
}

std::optional<double> Clock::ready(int device, const PipelineAction &work) const {
  switch (work.kind) {
  case PipelineActionKind::Forward:
    return forwardReady(device, work.microbatch, work.chunk);
  case PipelineActionKind::Backward:
  case PipelineActionKind::BackwardInput:
    return backwardReady(device, work.microbatch, work.chunk);
  case PipelineActionKind::BackwardWeight:
    return arrival(backwardEnds, shape.stageOf(device, work.chunk), work.microbatch, device);
  case PipelineActionKind::Overlapped:
    break;
  }
  auto forward = forwardReady(device, work.microbatch, work.chunk);
  auto backward = backwardReady(device, work.backwardMicrobatch, work.backwardChunk);
  if (!forward || !backward)
    return std::nullopt;
  return std::max(*forward, *backward);
}

double Clock::timeOf(int device, const PipelineAction &work) const {
  const PipelineTimes::Stage &stage = times.stages[shape.stageOf(device, work.chunk)];
  switch (work.kind) {
  case PipelineActionKind::Forward:
    return stage.forward;
  case PipelineActionKind::Backward:
    return stage.backwardInput + stage.backwardWeight;
  case PipelineActionKind::BackwardInput:
    return stage.backwardInput;
  case PipelineActionKind::BackwardWeight:
    return stage.backwardWeight;
  case PipelineActionKind::Overlapped:
    break;
  }
  const PipelineTimes::Stage &other = times.stages[shape.stageOf(device, work.backwardChunk)];
  return stage.forward + other.backwardInput + other.backwardWeight - times.overlap;
}

double Clock::perform(int device, const PipelineAction &work) {
  double begin = std::max(clocks[device], *ready(device, work));
  double end = begin + timeOf(device, work);
  clocks[device] = end;
  if (work.kind == PipelineActionKind::Forward || work.kind == PipelineActionKind::Overlapped) {
    endOf(forwardEnds, shape.stageOf(device, work.chunk), work.microbatch) = end;
    peaks[device] = std::max(peaks[device], ++lives[device]);
  }
  if (work.kind == PipelineActionKind::Backward || work.kind == PipelineActionKind::BackwardInput)
    endOf(backwardEnds, shape.stageOf(device, work.chunk), work.microbatch) = end;
  if (work.kind == PipelineActionKind::Overlapped)
    endOf(backwardEnds, shape.stageOf(device, work.backwardChunk), work.backwardMicrobatch) = end;
  if (work.kind != PipelineActionKind::Forward && work.kind != PipelineActionKind::BackwardInput)
    --lives[device];
  return begin;
}

double Timeline::length(int device) const {
  const std::vector<Span> &row = spans[device];
  return row.empty() ? 0 : row.back().end - row.front().begin;
}

double Timeline::bubble(int device) const {
  double idle = length(device);
  for (const Span &span : spans[device])
    idle -= span.end - span.begin;
  return idle;
}

double Timeline::longest() const {
  double longest = 0;
  for (size_t device = 0; device < spans.size(); ++device)
    longest = std::max(longest, length(int(device)));
  return longest;
}

double Timeline::bubbleRate() const {
  double rate = 0, length = longest();
  for (size_t device = 0; device < spans.size(); ++device)
    if (this->length(int(device)) == length && length > 0)
      rate = std::max(rate, bubble(int(device)) / length);
  return rate;
}

/// Lists the devices that wait, and the actions they cannot run.
static std::string describeDeadlock(const PipelineShape &shape, const Order &order,
                                    const Timeline &timeline) {
  std::string text;
  for (int device = 0; device < shape.devices; ++device) {
    size_t next = timeline.spans[device].size();
    if (next == order[device].size())
      continue;
    text += (text.empty() ? "device " : "; device ") + std::to_string(device) + " waits with " +
            describe(order[device][next], shape);
  }
  return text;
}

Timeline run(const PipelineShape &shape, const Order &order, const PipelineTimes &times) {
  Clock clock(shape, times);
  Timeline timeline;
  timeline.spans.resize(shape.devices);
  for (bool moved = true; moved;) {
    moved = false;
    for (int device = 0; device < shape.devices; ++device) {
      std::vector<Span> &row = timeline.spans[device];
      while (row.size() < order[device].size() && clock.ready(device, order[device][row.size()])) {
        double begin = clock.perform(device, order[device][row.size()]);
        row.push_back({begin, clock.now(device)});
        moved = true;
      }
    }
  }
  for (int device = 0; device < shape.devices; ++device) {
    timeline.peakLive.push_back(clock.peakLive(device));
    timeline.end = std::max(timeline.end, clock.now(device));
  }
  timeline.deadlock = describeDeadlock(shape, order, timeline);
  return timeline;
}

} // namespace pcc::order
