// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/WindowSchedules.h"

#include <algorithm>

namespace pcc::order {

Window gpipe(const PipelineShape &shape, int) { return {.lead = shape.microbatches}; }

Window oneForwardOneBackward(const PipelineShape &shape, int device) {
  return {.lead = shape.devices - device};
}

Window interleaved(const PipelineShape &shape, int device) {
  int64_t behind = shape.devices - 1 - device;
  return {.lead = 2 * behind + int64_t(shape.chunks - 1) * shape.devices + 1};
}

Window zeroBubbleOne(const PipelineShape &shape, int device) {
  return {.lead = shape.devices - device, .delay = device, .splitsBackward = true};
}

Window zeroBubbleTwo(const PipelineShape &shape, int device) {
  return {.lead = 2 * (shape.devices - device) - 1, .delay = 2 * device, .splitsBackward = true};
}

namespace {

/// An action and its position among the actions of its device.
struct Placed {
  int64_t place;
  int rank; ///< at equal places: backwards, then weight gradients, then forwards
  PipelineAction work;

  bool operator<(const Placed &other) const {
    return place != other.place ? place < other.place : rank < other.rank;
  }
};

} // namespace

/// Returns the number of a forward. Backwards visit the chunks in the opposite order.
static int64_t numberOf(const PipelineShape &shape, int64_t microbatch, int turn) {
  int64_t round = microbatch / shape.devices, within = microbatch % shape.devices;
  return shape.chunks == 1 ? microbatch : (round * shape.chunks + turn) * shape.devices + within;
}

Order expand(const PipelineShape &shape, Window (*windowOf)(const PipelineShape &, int device)) {
  Order order(shape.devices);
  for (int device = 0; device < shape.devices; ++device) {
    Window window = windowOf(shape, device);
    PipelineActionKind backward =
        window.splitsBackward ? PipelineActionKind::BackwardInput : PipelineActionKind::Backward;
    std::vector<Placed> all;
    for (int64_t i = 0; i < shape.microbatches; ++i)
      for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        int64_t forth = numberOf(shape, i, chunk);
        int64_t back = numberOf(shape, i, shape.chunks - 1 - chunk) + window.lead;
        all.push_back({forth, 2, {PipelineActionKind::Forward, i, chunk}});
        all.push_back({back, 0, {backward, i, chunk}});
        if (window.splitsBackward)
          all.push_back({back + window.delay, 1, {PipelineActionKind::BackwardWeight, i, chunk}});
      }
    std::sort(all.begin(), all.end());
    for (const Placed &placed : all)
      order[device].push_back(placed.work);
  }
  return order;
}

} // namespace pcc::order
