// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands the phases of a device to actions. Forwards and backwards of each chunk take the
// microbatches in order; `W` takes the oldest input gradients without weight gradients. Shorter
// pipelines are cut from one with 2p microbatches.
#include "passes/solve/order/Schedule.h"

#include <algorithm>
#include <array>
#include <deque>

namespace pcc::order {

std::vector<Phase> zeroBubbleVee(const PipelineShape &shape, int device) {
  int64_t devicesAfter = shape.devices - 1 - device, devicesUpTo = device + 1;
  return {{"F0", 2 * devicesAfter},
          {"F0 F1", 2 * devicesUpTo},
          {"B1 F1", 2 * devicesAfter},
          {"B1 F0 B0 F1", 4 * (shape.microbatches - 2 * shape.devices + devicesUpTo)},
          {"B1 B0 F1", 3 * devicesAfter},
          {"B1 B0", 2 * devicesUpTo},
          {"B0", devicesAfter}};
}

std::vector<Phase> dualPipeVee(const PipelineShape &shape, int device) {
  int64_t devicesAfter = shape.devices - 1 - device, devicesUpTo = device + 1;
  int64_t pairs = shape.microbatches - 2 * shape.devices + devicesUpTo;
  std::vector<Phase> phases = {
      {"F0", 2 * devicesAfter}, {"F0 F1", 2 * devicesUpTo}, {"B1 W F1", 3 * devicesAfter}};
  if (devicesAfter == 0) {
    // The last device's first backward needs the result of the forward just before it.
    phases.insert(phases.end(), {{"F0 A1 F1+A0", 3}});
    --pairs;
  }
  phases.insert(phases.end(), {{"F0+A1 F1+A0", 2 * pairs},
                               {"A1 F1+A0", 2 * devicesAfter},
                               {"A1 A0", devicesUpTo},
                               {devicesUpTo % 2 ? "B0 B1" : "B1 B0", devicesUpTo},
                               {"W B0", 2 * devicesAfter},
                               {"W", devicesUpTo}});
  return phases;
}

namespace {

/// Numbers the actions of one device's phases.
class Numbering {
public:
  /// Returns the action of a pattern's `token`.
  PipelineAction next(std::string_view token) {
    int chunk = token.size() > 1 ? token[1] - '0' : 0;
    switch (token[0]) {
    case 'F':
      return token.size() > 2
                 ? overlapped(chunk, token[4] - '0')
                 : PipelineAction{PipelineActionKind::Forward, forwards[chunk]++, chunk};
    case 'A':
      return {PipelineActionKind::Backward, backwards[chunk]++, chunk};
    case 'B':
      pending.push_back({PipelineActionKind::BackwardWeight, backwards[chunk], chunk});
      return {PipelineActionKind::BackwardInput, backwards[chunk]++, chunk};
    default:
      PipelineAction weights = pending.front();
      pending.pop_front();
      return weights;
    }
  }

private:
  PipelineAction overlapped(int chunk, int backwardChunk) {
    return {PipelineActionKind::Overlapped, forwards[chunk]++, chunk, backwards[backwardChunk]++,
            backwardChunk};
  }

  std::array<int64_t, 2> forwards = {}, backwards = {};
  std::deque<PipelineAction> pending;
};

} // namespace

static std::vector<std::string_view> splitPattern(std::string_view pattern) {
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < pattern.size(); at = pattern.find_first_not_of(' ', at)) {
    size_t end = std::min(pattern.find(' ', at), pattern.size());
    tokens.push_back(pattern.substr(at, end - at));
    at = end;
  }
  return tokens;
}

Order expand(const PipelineShape &shape,
             std::vector<Phase> (*phasesOf)(const PipelineShape &, int device)) {
  PipelineShape enough = shape;
  enough.microbatches = std::max<int64_t>(shape.microbatches, 2 * shape.devices);
  Order order(shape.devices);
  for (int device = 0; device < shape.devices; ++device) {
    Numbering numbering;
    for (const Phase &phase : phasesOf(enough, device)) {
      std::vector<std::string_view> tokens = splitPattern(phase.pattern);
      for (int64_t i = 0; i < phase.numActions; ++i) {
        PipelineAction work = numbering.next(tokens[i % tokens.size()]);
        if (work.microbatch < shape.microbatches)
          order[device].push_back(work);
      }
    }
  }
  return order;
}

} // namespace pcc::order
