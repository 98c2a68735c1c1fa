// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/AutoSchedule.h"

#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Schedule.h"
#include <gtest/gtest.h>
#include <random>

using namespace pcc::order;

/// Expects that the order runs, has every action once, keeps to the cap, and has the stated length.
static void expectRight(const PipelineShape &shape, const PipelineTimes &times, int64_t cap,
                        const AutoSchedule &found) {
  ASSERT_FALSE(found.order.empty());
  EXPECT_EQ(check(shape, found.order), "");
  Timeline timeline = run(shape, found.order, times);
  EXPECT_EQ(timeline.deadlock, "");
  EXPECT_EQ(timeline.longest(), found.length);
  for (int64_t live : timeline.peakLive)
    EXPECT_LE(live, cap);
}

// Under any cap that leaves room for one microbatch an order is found. No named schedule that keeps
// to the cap is shorter.
TEST(AutoSchedule, IsNeverLongerThanANamedSchedule) {
  std::mt19937 random(3);
  auto below = [&](int n) { return int(random() % n); };
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    PipelineShape shape{1 + below(8), 1 + below(24), 1 + below(2), Placement::Looped};
    if (shape.chunks == 2 && below(2))
      shape.placement = Placement::Vee;
    auto times = PipelineTimes::uniform(
        shape, {1 + below(20) / 4.0, 1 + below(20) / 4.0, 1 + below(20) / 4.0}, below(5) / 4.0);
    int64_t cap = shape.chunks + below(2 * shape.stages());
    AutoSchedule found = autoSchedule(shape, times, {.cap = cap, .maxActions = 30000});
    expectRight(shape, times, cap, found);
    for (const Schedule &schedule : listSchedules()) {
      if (schedule.placement != shape.placement || !schedule.findViolation(shape).empty())
        continue;
      Timeline timeline = run(shape, schedule.expand(shape, times), times);
      if (*std::max_element(timeline.peakLive.begin(), timeline.peakLive.end()) > cap)
        continue;
      EXPECT_LE(found.length, timeline.longest()) << schedule.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

// With twice the memory of 1F1B, a vee of these published times has nearly no bubble.
TEST(AutoSchedule, FillsTheBubbleWithTwiceTheMemory) {
  PipelineShape shape{8, 32, 2, Placement::Vee};
  auto times = PipelineTimes::uniform(shape, {29.802 / 2, 29.428 / 2, 19.53 / 2}, 0.577);
  AutoSchedule found = autoSchedule(shape, times, {.cap = 32, .maxActions = 2'000'000});
  expectRight(shape, times, 32, found);
  EXPECT_LT(1 - 32 * (29.802 + 29.428 + 19.53) / found.length, 0.01);
}

// The order is the same for the same seed. A cap below the chunks of a device has no order.
TEST(AutoSchedule, IsDeterministicAndRefusesTooLittleMemory) {
  PipelineShape shape{4, 9, 2, Placement::Vee};
  auto times = PipelineTimes::uniform(shape, {3, 4, 2}, 0.5);
  AutoOptions options{.cap = 8, .maxActions = 100'000};
  EXPECT_EQ(autoSchedule(shape, times, options).order, autoSchedule(shape, times, options).order);
  EXPECT_TRUE(autoSchedule(shape, times, {.cap = 1, .maxActions = 100'000}).order.empty());
}
