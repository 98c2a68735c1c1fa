// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/AutoSchedule.h"

#include "passes/solve/order/Clock.h"
#include "passes/solve/order/ListSchedule.h"
#include "passes/solve/order/Schedule.h"
#include <algorithm>
#include <limits>
#include <random>

namespace pcc::order {

namespace {

class AutoScheduler {
public:
  AutoScheduler(const PipelineShape &shape, const PipelineTimes &times, const AutoOptions &options)
      : shape(shape), times(times), options(options), maxWork(findMaxWork()), random(options.seed) {
  }

  AutoSchedule schedule() {
    tryNamed();
    int64_t actionsPerTrial = 3 * int64_t(shape.stages()) * shape.microbatches;
    int64_t trials = std::clamp<int64_t>(options.maxActions / actionsPerTrial, 1, options.trials);
    for (int64_t i = 0; i < trials && !hasNoBubble(); ++i)
      tryRule(4 * i < trials ? draw() : change(bestRule));
    return std::move(best);
  }

private:
  bool hasNoBubble() const {
    constexpr double rounding = 1e-9;
    return !best.order.empty() && best.length <= maxWork * (1 + rounding);
  }

  /// Returns the work of the busiest device. No order is shorter.
  double findMaxWork() const {
    double longest = 0;
    for (int device = 0; device < shape.devices; ++device) {
      double work = 0;
      for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        const PipelineTimes::Stage &stage = times.stages[shape.stageOf(device, chunk)];
        work += stage.forward + stage.backwardInput + stage.backwardWeight;
      }
      longest = std::max(longest, work * double(shape.microbatches));
    }
    return longest;
  }

  void tryNamed() {
    for (const Schedule &schedule : listSchedules())
      if (schedule.placement == shape.placement && schedule.findViolation(shape).empty())
        offer(schedule.expand(shape, times), std::string(schedule.name));
  }

  void tryRule(const ListRule &rule) {
    double length = offer(listSchedule(shape, times, options.cap, rule), "list");
    if (length >= bestLengthOfRules)
      return;
    bestLengthOfRules = length;
    bestRule = rule;
  }

  /// Keeps `order` if it is the shortest one within the cap. Returns its length.
  double offer(Order order, std::string name) {
    double length = lengthOf(order);
    if (length < best.length || best.order.empty()) {
      if (length < std::numeric_limits<double>::infinity())
        best = {std::move(order), length, std::move(name)};
    }
    return length;
  }

  /// Returns infinity if the order does not run within the cap.
  double lengthOf(const Order &order) const {
    if (order.empty())
      return std::numeric_limits<double>::infinity();
    Timeline timeline = run(shape, order, times);
    bool keepsToCap = std::all_of(timeline.peakLive.begin(), timeline.peakLive.end(),
                                  [&](int64_t live) { return live <= options.cap; });
    return keepsToCap && timeline.deadlock.empty() ? timeline.longest()
                                                   : std::numeric_limits<double>::infinity();
  }

  /// Returns a number from `low` to `high`; the same on every machine.
  double between(double low, double high) {
    return low + (high - low) * (double(random() >> 11) / double(uint64_t{1} << 53));
  }
  bool flip() { return random() >> 63; }

  ListRule draw() {
    return {{flip(), flip(), flip()},
            {flip(), flip(), flip()},
            between(0, 2),
            std::max(0.0, between(-1.5, 1)),
            between(0.35, 1),
            between(1.8, 4.8),
            between(0, 1.2)};
  }

  /// Changes about half of the values a little.
  ListRule change(ListRule rule) {
    double reach = between(0, 0.3);
    auto move = [&](double &figure, double low, double high) {
      if (flip())
        figure = std::clamp(figure + between(-reach, reach) * (high - low), low, high);
    };
    move(rule.hurry, 0, 3);
    move(rule.rush, 0, 1);
    move(rule.inFlight, 0.2, 1);
    move(rule.lead, 1.5, 6);
    move(rule.patience, 0, 1.2);
    for (Preference *prefers : {&rule.early, &rule.late})
      for (bool *choice : {&prefers->backwards, &prefers->lastBackward, &prefers->lastForward})
        *choice ^= between(0, 1) < 0.1;
    return rule;
  }

  const PipelineShape &shape;
  const PipelineTimes &times;
  const AutoOptions &options;
  const double maxWork;
  std::mt19937_64 random;
  AutoSchedule best;
  ListRule bestRule;
  double bestLengthOfRules = std::numeric_limits<double>::infinity();
};

} // namespace

AutoSchedule autoSchedule(const PipelineShape &shape, const PipelineTimes &times,
                          const AutoOptions &options) {
  return AutoScheduler(shape, times, options).schedule();
}

} // namespace pcc::order
