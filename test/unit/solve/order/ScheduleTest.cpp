// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/Schedule.h"

#include "passes/solve/order/Clock.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace pcc::order;

static const Schedule &find(std::string_view name) {
  const Schedule *found = findSchedule(name);
  EXPECT_TRUE(found) << name;
  return *found;
}

/// Returns the timeline of a schedule that is complete and free of deadlock.
static Timeline runSchedule(std::string_view name, PipelineShape shape, PipelineTimes::Stage stage,
                            double latency = 0, double overlap = 0) {
  const Schedule &schedule = find(name);
  shape.placement = schedule.placement;
  PipelineTimes times = PipelineTimes::uniform(shape, stage, latency);
  times.overlap = overlap;
  EXPECT_EQ(schedule.findViolation(shape), "") << name;
  Order order = schedule.expand(shape, times);
  EXPECT_EQ(check(shape, order), "") << name;
  Timeline timeline = run(shape, order, times);
  EXPECT_EQ(timeline.deadlock, "") << name;
  return timeline;
}

static double worstBubble(const Timeline &timeline) {
  double worst = 0;
  for (size_t device = 0; device < timeline.spans.size(); ++device)
    worst = std::max(worst, timeline.bubble(device));
  return worst;
}

/// Parses a fraction such as `3/4`.
static double readFraction(llvm::StringRef text) {
  auto [top, bottom] = text.split('/');
  double value = 0, divisor = 1;
  EXPECT_FALSE(top.getAsDouble(value));
  if (!bottom.empty()) {
    EXPECT_FALSE(bottom.getAsDouble(divisor));
  }
  return value / divisor;
}

static llvm::json::Value readSchedules() {
  auto buffer = llvm::MemoryBuffer::getFile(PCC_SCHEDULES);
  return llvm::cantFail(llvm::json::parse((*buffer)->getBuffer()));
}

/// Returns the name of a schedule. Names in the file have no hyphens.
static std::string nameOf(llvm::StringRef written) {
  for (const Schedule &schedule : listSchedules()) {
    std::string plain;
    for (char c : schedule.name)
      if (c != '-')
        plain += c;
    if (written == plain)
      return std::string(schedule.name);
  }
  return written.str();
}

// Compares with another simulator's times, which are exact fractions. Binary floating point is
// exact as well: all times are multiples of a quarter.
TEST(Schedule, EqualsAnIndependentSimulator) {
  llvm::json::Value file = readSchedules();
  int cases = 0;
  for (const llvm::json::Value &value : *file.getAsObject()->getArray("cases")) {
    const llvm::json::Object &c = *value.getAsObject();
    auto time = [&](llvm::StringRef key) { return readFraction(*c.getString(key)); };
    PipelineTimes::Stage stage{time("F"), time("B"), time("W")};
    double overlap = 0;
    if (auto both = c.getString("FB"))
      overlap = stage.forward + stage.backwardInput + stage.backwardWeight - readFraction(*both);
    PipelineShape shape{int(*c.getInteger("p")), *c.getInteger("m"), int(*c.getInteger("v"))};
    std::string name = nameOf(*c.getString("schedule"));
    SCOPED_TRACE(name + " p " + std::to_string(shape.devices) + " m " +
                 std::to_string(shape.microbatches));
    Timeline timeline = runSchedule(name, shape, stage, time("c"), overlap);
    EXPECT_EQ(timeline.end, time("makespan"));
    for (int device = 0; device < shape.devices; ++device) {
      double idle = timeline.bubble(device) + timeline.end - timeline.length(device);
      EXPECT_EQ(idle, readFraction(*(*c.getArray("idle_per_device"))[device].getAsString()));
      EXPECT_EQ(timeline.peakLive[device],
                *(*c.getArray("peak_live_chunks"))[device].getAsInteger());
    }
    ++cases;
  }
  EXPECT_EQ(cases, 52);
}

// Bubble rates from the appendix of the zero-bubble paper, to the four printed decimals.
TEST(Schedule, HasThePublishedBubbleRates) {
  llvm::json::Value file = readSchedules();
  for (const llvm::json::Value &value : *file.getAsObject()->getArray("published_zero_bubble")) {
    const llvm::json::Object &row = *value.getAsObject();
    PipelineTimes::Stage stage{*row.getNumber("TF_ms"), *row.getNumber("TB_ms"),
                               *row.getNumber("TW_ms")};
    PipelineShape shape{int(*row.getInteger("p")), *row.getInteger("m")};
    for (auto [name, key] : {std::pair("1f1b", "bubble_1f1b"), std::pair("zb-h1", "bubble_zbh1"),
                             std::pair("zb-h2", "bubble_zbh2")}) {
      Timeline timeline = runSchedule(name, shape, stage, *row.getNumber("Tcomm_ms"));
      EXPECT_NEAR(timeline.bubbleRate(), *row.getNumber(key), 0.5e-4 + 1e-9) << name;
    }
  }
}

// The bubble rate is that of the device that takes longest. Device 0 works for 2 of its 6 s, device
// 1 for all of its 4 s.
TEST(Schedule, HasTheBubbleRateOfTheLongestDevice) {
  PipelineShape shape{2, 1};
  PipelineTimes times;
  times.stages = {{1, 1, 0}, {2, 2, 0}};
  Timeline timeline = run(shape, find("gpipe").expand(shape, times), times);
  EXPECT_EQ(timeline.longest(), 6);
  EXPECT_DOUBLE_EQ(timeline.bubbleRate(), 4.0 / 6);
}

// The closed forms are in docs/spec/pipeline.md.
TEST(Schedule, MeetsTheClosedForms) {
  int cases = 0;
  for (int p : {1, 2, 3, 4, 5, 8, 16, 32})
    for (int64_t rounds : {1, 2, 3, 8}) {
      int64_t m = p * rounds;
      for (PipelineTimes::Stage s : {PipelineTimes::Stage{1, 1, 1}, {3, 4, 2}, {5, 4, 3}})
        for (double c : {0.0, 0.25}) {
          double all = s.forward + s.backwardInput + s.backwardWeight;
          PipelineShape shape{p, m};
          EXPECT_EQ(runSchedule("gpipe", shape, s, c).end, (m + p - 1) * all + 2 * (p - 1) * c);
          if (p > 1) {
            EXPECT_EQ(runSchedule("1f1b", shape, s, c).end,
                      (m + p - 1) * all + c * (2 * (p - 1) * m / p + 2 * (p - 2)));
          }
          if (c)
            continue;
          EXPECT_EQ(worstBubble(runSchedule("1f1b", shape, s)), (p - 1) * all);
          EXPECT_EQ(worstBubble(runSchedule("zb-h1", shape, s)),
                    (p - 1) * (s.forward + s.backwardInput - s.backwardWeight));
          if (m >= 2 * p - 1) {
            EXPECT_EQ(
                worstBubble(runSchedule("zb-h2", shape, s)),
                std::max(0.0, (p - 1) * (s.forward + s.backwardInput - 2 * s.backwardWeight)));
          }
          for (int v : {2, 3, 4})
            EXPECT_EQ(worstBubble(runSchedule("interleaved-1f1b", {p, m, v}, s)), (p - 1) * all);
          ++cases;
        }
    }
  EXPECT_EQ(cases, 96);
}

// Peaks are in chunks of microbatches; a vee's chunks are half stages.
TEST(Schedule, KeepsAsManyMicrobatchesLiveAsItsFormulaSays) {
  for (int p : {2, 3, 4, 8, 16})
    for (int64_t m : {2 * p, 3 * p, 5 * p}) {
      Timeline oneByOne = runSchedule("1f1b", {p, m}, {1, 1, 1});
      Timeline interleaved = runSchedule("interleaved-1f1b", {p, m, 2}, {1, 1, 1});
      Timeline one = runSchedule("zb-h1", {p, m}, {1, 1, 1});
      Timeline two = runSchedule("zb-h2", {p, m}, {1, 1, 1});
      for (int s = 0; s < p; ++s) {
        EXPECT_EQ(oneByOne.peakLive[s], std::min<int64_t>(m, p - s));
        EXPECT_EQ(interleaved.peakLive[s], std::min<int64_t>(2 * m, 2 * (p - 1 - s) + p + 1));
        EXPECT_EQ(one.peakLive[s], p);
        EXPECT_EQ(two.peakLive[s], 2 * p - 1);
      }
    }
}

// Every device works without a break, with the memory of 1F1B.
TEST(Schedule, VeesHaveNoBubbleWhereAllTimesAreEqual) {
  for (int p : {1, 2, 3, 4, 5, 8, 16})
    for (int64_t m : {2 * p, 2 * p + 1, 3 * p, 6 * p}) {
      Timeline timeline = runSchedule("zb-v", {p, m, 2}, {1, 1, 1});
      EXPECT_EQ(worstBubble(timeline), 0) << p << " devices, " << m << " microbatches";
      for (int64_t live : timeline.peakLive)
        EXPECT_LE(live, 2 * p);
    }
}

// With fewer microbatches than fill the vee, some work is missing. Nothing deadlocks.
TEST(Schedule, VeesRunWithFewMicrobatches) {
  for (int p : {2, 4, 8})
    for (int64_t m = 1; m < 2 * p; ++m) {
      Timeline timeline = runSchedule("zb-v", {p, m, 2}, {3, 4, 2}, 0.5);
      for (int64_t live : timeline.peakLive)
        EXPECT_LE(live, 2 * m);
    }
}

// The bubble is (p − 1) (FB + B + W − 3 W). It is smaller if overlapped pairs are shorter than the
// sum of their parts.
TEST(Schedule, OverlappedVeesMeetTheirFormula) {
  for (int p : {2, 4, 6, 8})
    for (double both : {3.0, 2.5, 2.0}) {
      Timeline timeline = runSchedule("dualpipe-v", {p, 3 * p, 2}, {1, 1, 1}, 0, 3 - both);
      double formula = (p - 1) * (both + 1 + 1 - 3);
      EXPECT_LE(worstBubble(timeline), formula) << p << " " << both;
      if (both == 3) {
        EXPECT_EQ(worstBubble(timeline), formula) << p;
      }
    }
}

// An error names the requirement of a schedule and the given value.
TEST(Schedule, NamesWhatItNeeds) {
  EXPECT_EQ(find("interleaved-1f1b").findViolation({4, 6, 2}),
            "expected a multiple of 4 microbatches, got 6");
  EXPECT_EQ(find("interleaved-1f1b").findViolation({4, 8, 1}),
            "expected two or more chunks per device, got 1");
  EXPECT_EQ(find("dualpipe-v").findViolation({4, 7, 2, Placement::Vee}),
            "expected at least 8 microbatches, got 7");
  EXPECT_EQ(find("zb-v").findViolation({4, 8, 3, Placement::Vee}),
            "expected two chunks per device, got 3");
  EXPECT_EQ(find("1f1b").findViolation({4, 8, 2}), "expected one chunk per device, got 2");
}

// A receive comes too early in the order of two devices: the error names both.
TEST(Clock, NamesDevicesThatWaitForOneAnother) {
  PipelineShape shape{2, 1};
  PipelineTimes times = PipelineTimes::uniform(shape, {1, 1, 1});
  Order order = {{{PipelineActionKind::Backward, 0, 0}, {PipelineActionKind::Forward, 0, 0}},
                 {{PipelineActionKind::Forward, 0, 0}, {PipelineActionKind::Backward, 0, 0}}};
  EXPECT_EQ(run(shape, order, times).deadlock,
            "device 0 waits with backward 0; device 1 waits with forward 0");
}

// An order that lacks an action, or has one twice, is invalid.
TEST(Order, HasEveryPieceOnce) {
  PipelineShape shape{1, 1};
  EXPECT_EQ(check(shape, {{{PipelineActionKind::Forward, 0, 0}}}),
            "expected input gradients 0 of stage 0 once, got it 0 times");
  EXPECT_EQ(
      check(shape, {{{PipelineActionKind::Forward, 0, 0}, {PipelineActionKind::Forward, 0, 0}}}),
      "expected forward 0 of stage 0 once, got it 2 times");
  EXPECT_EQ(check(shape, {{{PipelineActionKind::Forward, 3, 0}}}),
            "device 0 has forward 3, expected microbatches below 1 and chunks below 1");
}

/// A device that delays the weight gradients of both microbatches keeps them twice.
TEST(LiveCounts, FollowsTheActionsOfADevice) {
  using Kind = PipelineActionKind;
  PipelineShape shape{.devices = 1, .microbatches = 2};
  auto count = [&](std::vector<std::pair<Kind, int>> actions) {
    Order order(1);
    for (auto [kind, microbatch] : actions)
      order[0].push_back({.kind = kind, .microbatch = microbatch});
    EXPECT_EQ(check(shape, order), "");
    LiveCounts live = countLive(shape, order).front();
    return std::vector<int64_t>{live.forInput, live.forWeight, live.delayed};
  };
  Kind forward = Kind::Forward, input = Kind::BackwardInput, weight = Kind::BackwardWeight;
  using Counts = std::vector<int64_t>;
  EXPECT_EQ(count({{forward, 0}, {forward, 1}, {Kind::Backward, 0}, {Kind::Backward, 1}}),
            (Counts{2, 2, 0}));
  EXPECT_EQ(count({{forward, 0}, {input, 0}, {weight, 0}, {forward, 1}, {input, 1}, {weight, 1}}),
            (Counts{1, 1, 1}));
  EXPECT_EQ(count({{forward, 0}, {input, 0}, {forward, 1}, {input, 1}, {weight, 0}, {weight, 1}}),
            (Counts{1, 2, 2}));
}
