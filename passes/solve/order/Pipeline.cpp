// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that an order is complete: it counts forwards, input gradients and weight gradients by
// stage and microbatch, and each count must be one. Dependencies are not checked here; Clock.h
// finds deadlocks.
#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

static std::string describePart(const char *part, int64_t microbatch, int chunk,
                                const PipelineShape &shape) {
  std::string text = part + std::to_string(microbatch);
  return shape.chunks > 1 ? text + " of chunk " + std::to_string(chunk) : text;
}

std::string describe(const PipelineAction &work, const PipelineShape &shape) {
  static constexpr const char *parts[] = {"forward ", "backward ", "input gradients ",
                                          "weight gradients ", "forward "};
  std::string text = describePart(parts[size_t(work.kind)], work.microbatch, work.chunk, shape);
  if (work.kind == PipelineActionKind::Overlapped)
    text +=
        " with " + describePart("backward ", work.backwardMicrobatch, work.backwardChunk, shape);
  return text;
}

namespace {

/// Counts the forwards, input gradients and weight gradients of each stage and microbatch.
struct Counts {
  explicit Counts(const PipelineShape &shape)
      : shape(shape), forwards(size_t(shape.stages()) * shape.microbatches), inputs(forwards),
        weights(forwards) {}

  bool contains(int64_t microbatch, int chunk) const {
    return microbatch >= 0 && microbatch < shape.microbatches && chunk >= 0 && chunk < shape.chunks;
  }

  void add(std::vector<int> &part, int device, int64_t microbatch, int chunk) {
    ++part[shape.stageOf(device, chunk) * shape.microbatches + microbatch];
  }

  /// Returns false if the action names a microbatch or a chunk that does not exist.
  bool add(int device, const PipelineAction &work) {
    if (!contains(work.microbatch, work.chunk))
      return false;
    if (work.kind == PipelineActionKind::Forward || work.kind == PipelineActionKind::Overlapped)
      add(forwards, device, work.microbatch, work.chunk);
    if (work.kind == PipelineActionKind::Backward || work.kind == PipelineActionKind::BackwardInput)
      add(inputs, device, work.microbatch, work.chunk);
    if (work.kind == PipelineActionKind::Backward ||
        work.kind == PipelineActionKind::BackwardWeight)
      add(weights, device, work.microbatch, work.chunk);
    if (work.kind != PipelineActionKind::Overlapped)
      return true;
    if (!contains(work.backwardMicrobatch, work.backwardChunk))
      return false;
    add(inputs, device, work.backwardMicrobatch, work.backwardChunk);
    add(weights, device, work.backwardMicrobatch, work.backwardChunk);
    return true;
  }

  const PipelineShape &shape;
  std::vector<int> forwards, inputs, weights;
};

} // namespace

std::string check(const PipelineShape &shape, const Order &order) {
  if (order.size() != size_t(shape.devices))
    return "expected the order of " + std::to_string(shape.devices) + " devices, got " +
           std::to_string(order.size());
  Counts counts(shape);
  for (int device = 0; device < shape.devices; ++device)
    for (const PipelineAction &work : order[device])
      if (!counts.add(device, work))
        return "device " + std::to_string(device) + " has " + describe(work, shape) +
               ", expected microbatches below " + std::to_string(shape.microbatches) +
               " and chunks below " + std::to_string(shape.chunks);
  for (auto [part, name] :
       {std::pair(&counts.forwards, "forward "), std::pair(&counts.inputs, "input gradients "),
        std::pair(&counts.weights, "weight gradients ")})
    for (size_t i = 0; i < part->size(); ++i)
      if ((*part)[i] != 1)
        return "expected " + (name + std::to_string(i % shape.microbatches)) + " of stage " +
               std::to_string(i / shape.microbatches) + " once, got it " +
               std::to_string((*part)[i]) + " times";
  return "";
}

PipelineTimes PipelineTimes::uniform(const PipelineShape &shape, Stage stage, double latency) {
  PipelineTimes times;
  times.stages.assign(shape.stages(), stage);
  times.latency = latency;
  return times;
}

std::vector<LiveCounts> countLive(const PipelineShape &shape, const Order &order) {
  std::vector<LiveCounts> live(shape.stages()), most(shape.stages());
  auto add = [&](int stage, int64_t LiveCounts::*count, int64_t change) {
    live[stage].*count += change;
    most[stage].*count = std::max(most[stage].*count, live[stage].*count);
  };
  auto addBoth = [&](int stage, int64_t change) {
    add(stage, &LiveCounts::forInput, change);
    add(stage, &LiveCounts::forWeight, change);
  };
  for (int device = 0; device < shape.devices; ++device)
    for (const PipelineAction &work : order[device]) {
      int stage = shape.stageOf(device, work.chunk);
      switch (work.kind) {
      case PipelineActionKind::Forward:
        addBoth(stage, 1);
        break;
      case PipelineActionKind::Backward:
        addBoth(stage, -1);
        break;
      case PipelineActionKind::Overlapped:
        addBoth(stage, 1);
        addBoth(shape.stageOf(device, work.backwardChunk), -1);
        break;
      case PipelineActionKind::BackwardInput:
        add(stage, &LiveCounts::delayed, 1);
        add(stage, &LiveCounts::forInput, -1);
        break;
      case PipelineActionKind::BackwardWeight:
        add(stage, &LiveCounts::delayed, -1);
        add(stage, &LiveCounts::forWeight, -1);
        break;
      }
    }
  return most;
}

} // namespace pcc::order
