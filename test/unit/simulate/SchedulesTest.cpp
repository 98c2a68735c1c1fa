// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every named schedule as instructions: a section for each kind of work and chunk, messages between
// devices, an action for each piece of work. The simulated times equal those of the clock that
// builds schedules (passes/solve/order/Clock.h), which equal the closed forms.

#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Schedule.h"
#include "test/unit/simulate/Sketch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace pcc::test {
namespace {

using order::PipelineAction;
using order::PipelineActionKind;
using order::PipelineShape;
using order::PipelineTimes;

constexpr double scale = 1e6; ///< bytes per unit of time

const char *nameOf(PipelineActionKind kind) {
  switch (kind) {
  case PipelineActionKind::Forward:
    return "forward";
  case PipelineActionKind::Backward:
    return "backward";
  case PipelineActionKind::BackwardInput:
    return "backward_input";
  default:
    return "backward_weight";
  }
}

class PipelineSketch {
public:
  PipelineSketch(const PipelineShape &shape, const PipelineTimes &times, int dataRanks = 1)
      : shape(shape), times(times), sketch(shape.devices, dataRanks), sections(shape.devices) {}

  Sketch &build(const order::Order &order) {
    for (int device = 0; device < shape.devices; ++device)
      for (const PipelineAction &work : order[device])
        sketch.action(device, sectionOf(device, work), uint32_t(work.microbatch));
    return sketch;
  }

private:
  uint32_t sectionOf(int device, const PipelineAction &work);
  /// The device of a neighboring stage; -1 if there is none or if it is the same device.
  int neighbor(int device, int stage) const {
    if (stage < 0 || stage >= shape.stages() || shape.deviceOf(stage) == device)
      return -1;
    return shape.deviceOf(stage);
  }

  const PipelineShape shape;
  const PipelineTimes times;
  Sketch sketch;
  std::vector<std::map<std::pair<PipelineActionKind, int>, uint32_t>> sections;
};

uint32_t PipelineSketch::sectionOf(int device, const PipelineAction &work) {
  auto [known, isNew] = sections[device].try_emplace({work.kind, work.chunk}, 0);
  if (!isNew)
    return known->second;
  uint32_t section =
      sketch.section(device, std::string(nameOf(work.kind)) + "." + std::to_string(work.chunk));
  known->second = section;
  int stage = shape.stageOf(device, work.chunk);
  bool isForward = work.kind == PipelineActionKind::Forward;
  bool talks = work.kind != PipelineActionKind::BackwardWeight;
  // A tag is twice the receiving stage, plus one for gradients.
  int from = talks ? neighbor(device, isForward ? stage - 1 : stage + 1) : -1;
  int to = talks ? neighbor(device, isForward ? stage + 1 : stage - 1) : -1;
  uint32_t own = uint32_t(2 * stage + !isForward);
  uint32_t next = uint32_t(2 * (isForward ? stage + 1 : stage - 1) + !isForward);
  std::vector<uint32_t> waits;
  if (from >= 0) {
    sketch.receive(device, section, from, own);
    waits.push_back(sketch.signal(device));
  }
  const PipelineTimes::Stage &time = times.stages[stage];
  double seconds = isForward ? time.forward
                   : work.kind == PipelineActionKind::Backward
                       ? time.backwardInput + time.backwardWeight
                   : work.kind == PipelineActionKind::BackwardInput ? time.backwardInput
                                                                    : time.backwardWeight;
  sketch.work(device, section, "work", std::llround(seconds * scale), waits);
  if (to >= 0)
    sketch.send(device, section, to, next, {sketch.signal(device)});
  return section;
}

abi::Cluster clusterFor(int devices, double latency) {
  abi::Cluster cluster = exactCluster({devices}, {latency});
  cluster.mutable_device()->mutable_memory_bytes_per_second()->set_value(scale);
  return cluster;
}

/// Returns the spans of a device's work, in its order.
std::vector<simulate::Span> workSpans(const abi::Executable &executable,
                                      const simulate::Simulation &step, int device) {
  std::vector<simulate::Span> spans;
  const abi::Program &program = executable.programs(device);
  size_t run = 0;
  for (const abi::Action &action : step.actions[device])
    for (const abi::Instruction &instruction :
         program.sections(int(action.section())).instructions()) {
      if (instruction.has_fill())
        spans.push_back(step.timelines[device].spans[run]);
      ++run;
    }
  return spans;
}

void compare(const order::Schedule &schedule, const PipelineShape &shape,
             const PipelineTimes &times) {
  SCOPED_TRACE(std::string(schedule.name) + " " + std::to_string(shape.devices) + " " +
               std::to_string(shape.microbatches));
  order::Order order = schedule.expand(shape, times);
  order::Timeline timeline = order::run(shape, order, times);
  PipelineSketch pipeline(shape, times);
  const abi::Executable &executable = pipeline.build(order).executable;
  auto step = simulate::simulate(executable, clusterFor(shape.devices, times.latency),
                                 {.tracksMemory = false});
  ASSERT_TRUE(step) << step.status().describe();
  for (int device = 0; device < shape.devices; ++device) {
    std::vector<simulate::Span> spans = workSpans(executable, *step, device);
    ASSERT_EQ(spans.size(), timeline.spans[device].size());
    for (size_t i = 0; i < spans.size(); ++i) {
      EXPECT_NEAR(spans[i].begin, timeline.spans[device][i].begin, 1e-9 * timeline.end);
      EXPECT_NEAR(spans[i].end, timeline.spans[device][i].end, 1e-9 * timeline.end);
    }
    EXPECT_NEAR(step->timelines[device].seconds.sum(), step->seconds, 1e-9 * timeline.end);
  }
}

TEST(Schedules, RecordsTakeTheTimesOfTheClock) {
  int compared = 0;
  for (const order::Schedule &schedule : order::listSchedules())
    for (int devices : {1, 2, 3, 4, 8})
      for (int64_t microbatches : {1, 2, 4, 8, 16, 24}) {
        PipelineShape shape{devices, microbatches, schedule.defaultChunks(), schedule.placement};
        if (!schedule.findViolation(shape).empty() || schedule.name == "dualpipe-v")
          continue; // overlapped work is no list of instructions
        for (double latency : {0.0, 0.601}) {
          compare(schedule, shape, PipelineTimes::uniform(shape, {18.522, 18.086, 9.337}, latency));
          ++compared;
        }
      }
  EXPECT_GE(compared, 200);
}

/// Returns the length of the whole step in units of time.
double lengthOf(std::string_view name, const PipelineShape &shape, const PipelineTimes &times) {
  PipelineSketch pipeline(shape, times);
  order::Order order = order::findSchedule(name)->expand(shape, times);
  return simulate::simulate(pipeline.build(order).executable,
                            clusterFor(shape.devices, times.latency))
      ->seconds;
}

TEST(Schedules, ClosedForms) {
  const double F = 3, B = 4, W = 2, c = 0.5;
  for (int p : {1, 2, 4, 8, 16, 32})
    for (int64_t m : {1, 2, 4, 8, 32}) {
      PipelineShape shape{p, m * p, 1, order::Placement::Looped};
      double M = double(m * p), P = p;
      auto at = [&](double latency) { return PipelineTimes::uniform(shape, {F, B, W}, latency); };
      EXPECT_DOUBLE_EQ(lengthOf("1f1b", shape, at(0)), (M + P - 1) * (F + B + W));
      EXPECT_DOUBLE_EQ(lengthOf("gpipe", shape, at(0)), (M + P - 1) * (F + B + W));
      EXPECT_DOUBLE_EQ(lengthOf("gpipe", shape, at(c)),
                       (M + P - 1) * (F + B + W) + 2 * (P - 1) * c);
      if (p > 1) {
        EXPECT_DOUBLE_EQ(lengthOf("1f1b", shape, at(c)),
                         (M + P - 1) * (F + B + W) + c * (2 * (P - 1) * M / P + 2 * (P - 2)));
      }
    }
}

TEST(Schedules, BubblesOfOneForwardOneBackward) {
  const double F = 3, B = 4, W = 2;
  PipelineShape shape{4, 8, 1, order::Placement::Looped};
  PipelineTimes times = PipelineTimes::uniform(shape, {F, B, W});
  PipelineSketch pipeline(shape, times, /*dataRanks=*/2);
  const abi::Executable &executable =
      pipeline.build(order::findSchedule("1f1b")->expand(shape, times)).executable;
  auto step = simulate::simulate(executable, clusterFor(8, 0));
  ASSERT_TRUE(step);
  ASSERT_EQ(step->timelines.size(), 4u);
  for (int stage = 0; stage < 4; ++stage) {
    const simulate::Seconds &seconds = step->timelines[stage].seconds;
    EXPECT_EQ(step->timelines[stage].ranks.size(), 2u);
    EXPECT_DOUBLE_EQ(seconds.compute, 8 * (F + B + W));
    EXPECT_DOUBLE_EQ(seconds.warmUp, stage * F);
    EXPECT_DOUBLE_EQ(seconds.drain, stage * (B + W));
    EXPECT_NEAR(seconds.receive, (3 - stage) * (F + B + W), 1e-9);
  }
}

} // namespace
} // namespace pcc::test
