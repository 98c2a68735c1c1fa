// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/Schedule.h"

#include "passes/solve/order/FillWeights.h"
#include "passes/solve/order/VeeSchedules.h"
#include "passes/solve/order/WindowSchedules.h"

namespace pcc::order {

static std::string expected(const std::string &what, int64_t got) {
  return "expected " + what + ", got " + std::to_string(got);
}

static std::string needsOneChunk(const PipelineShape &shape) {
  return shape.chunks == 1 ? "" : expected("one chunk per device", shape.chunks);
}

static std::string needsWholeRounds(const PipelineShape &shape) {
  if (shape.chunks < 2)
    return expected("two or more chunks per device", shape.chunks);
  if (shape.microbatches % shape.devices != 0)
    return expected("a multiple of " + std::to_string(shape.devices) + " microbatches",
                    shape.microbatches);
  return "";
}

static std::string needsTwoChunks(const PipelineShape &shape) {
  return shape.chunks == 2 ? "" : expected("two chunks per device", shape.chunks);
}

static std::string needsTwoChunksAndRounds(const PipelineShape &shape) {
  if (std::string error = needsTwoChunks(shape); !error.empty())
    return error;
  int64_t least = 2 * int64_t(shape.devices);
  if (shape.microbatches >= least)
    return "";
  return expected("at least " + std::to_string(least) + " microbatches", shape.microbatches);
}

template <Window (*windowOf)(const PipelineShape &, int)>
static Order expandWindows(const PipelineShape &shape, const PipelineTimes &) {
  return expand(shape, windowOf);
}

static Order expandZeroBubbleVee(const PipelineShape &shape, const PipelineTimes &times) {
  return fillWeights(shape, expand(shape, zeroBubbleVee), times, 2 * int64_t(shape.devices));
}

static Order expandDualPipeVee(const PipelineShape &shape, const PipelineTimes &) {
  return expand(shape, dualPipeVee);
}

static constexpr Schedule schedules[] = {
    {"gpipe", Placement::Looped, false, needsOneChunk, expandWindows<gpipe>},
    {"1f1b", Placement::Looped, false, needsOneChunk, expandWindows<oneForwardOneBackward>},
    {"interleaved-1f1b", Placement::Looped, false, needsWholeRounds, expandWindows<interleaved>},
    {"zb-h1", Placement::Looped, true, needsOneChunk, expandWindows<zeroBubbleOne>},
    {"zb-h2", Placement::Looped, true, needsOneChunk, expandWindows<zeroBubbleTwo>},
    {"zb-v", Placement::Vee, true, needsTwoChunks, expandZeroBubbleVee},
    {"dualpipe-v", Placement::Vee, true, needsTwoChunksAndRounds, expandDualPipeVee},
};

int Schedule::defaultChunks() const { return findViolation == needsOneChunk ? 1 : 2; }

std::span<const Schedule> listSchedules() { return schedules; }

const Schedule *findSchedule(std::string_view name) {
  for (const Schedule &schedule : schedules)
    if (schedule.name == name)
      return &schedule;
  return nullptr;
}

std::string listScheduleNames() {
  std::string names;
  for (const Schedule &schedule : schedules)
    names += (names.empty() ? "" : ", ") + std::string(schedule.name);
  return names;
}

} // namespace pcc::order
