// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Randomized list scheduling of a pipeline under a memory cap. The first quarter of the trials
// draws random rules; the others vary the best rule so far. Clock.h measures every order. The
// search ends early at the lower bound, the work of the busiest device.
#include "passes/solve/order/AutoSchedule.h"

#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Pipeline.h"
#include "passes/solve/order/Schedule.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <random>

namespace pcc::order {

// List scheduling of a pipeline: a free device takes one of its ready actions by a rule, or waits.
// Backwards are split. Weight gradients fill times without another ready action, and run when a
// forward lacks memory.

namespace {

/// Order of preference among the ready actions of a device.
struct Preference {
  bool backwards = true;    ///< prefer backwards to forwards
  bool lastBackward = true; ///< among backwards, prefer the last chunk
  bool lastForward = true;  ///< among forwards, prefer the last chunk
};

/// Rule by which all devices choose. Every rule gives an order that runs and respects the cap.
struct ListRule {
  Preference early;
  Preference late; ///< for the last `latePart` · p microbatches, with p devices
  double latePart = 0;
  /// Forwards are preferred while fewer than this fraction of the cap are live.
  double forwardFirstBelow = 0;
  /// Maximum fraction of the cap between a forward and its input gradients. The rest is reserved
  /// for weight gradients that wait for a gap.
  double inFlight = 1;
  /// Maximum lead of a chunk over the next chunk of the same device, in microbatches per two stages
  /// between the two chunks.
  double lead = 2;
  /// Fraction of a weight gradient's time that may delay the next action.
  double patience = 0.5;
};

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Device {
  std::vector<int64_t> forwards, backwards; ///< finished, by chunk
  std::deque<PipelineAction> pending;       ///< weight gradients
  std::vector<PipelineAction> done;
};

/// The best action of a device at some time, or the time to wait for.
struct Choice {
  std::optional<PipelineAction> work;
  double key = kNever;       ///< the smallest key is chosen
  double nextReady = kNever; ///< earliest known time at which another action is ready
  bool lacksMemory = false;  ///< a forward lacks memory
};

class ListScheduler {
public:
  ListScheduler(const PipelineShape &shape, const PipelineTimes &times, int64_t cap,
                const ListRule &rule)
      : shape(shape), times(times), cap(cap), rule(rule), clock(shape, times),
        devices(shape.devices) {
    for (int device = 0; device < shape.devices; ++device) {
      devices[device].forwards.resize(shape.chunks);
      devices[device].backwards.resize(shape.chunks);
      wakeUps.push({0, device});
    }
  }

  Order schedule() {
    while (!wakeUps.empty()) {
      auto [time, device] = wakeUps.top();
      wakeUps.pop();
      if (clock.now(device) <= time)
        wakeUp(device, time);
    }
    Order order;
    for (Device &device : devices) {
      if (*std::min_element(device.backwards.begin(), device.backwards.end()) < shape.microbatches)
        return {};
      device.done.insert(device.done.end(), device.pending.begin(), device.pending.end());
      order.push_back(std::move(device.done));
    }
    return order;
  }

private:
  void wakeUp(int device, double now) {
    Device &state = devices[device];
    Choice choice = choose(device, now);
    if (!choice.work && !state.pending.empty()) {
      double wait = (1 - rule.patience) * clock.timeOf(device, state.pending.front());
      if (choice.lacksMemory || now + wait <= choice.nextReady) {
        choice.work = state.pending.front();
        state.pending.pop_front();
      }
    }
    if (choice.work)
      perform(device, *choice.work);
    else if (choice.nextReady < kNever)
      wakeUps.push({choice.nextReady, device});
  }

  Choice choose(int device, double now) {
    const Device &state = devices[device];
    Choice choice;
    const Preference &prefers = isLate(device) ? rule.late : rule.early;
    bool prefersForwards = double(clock.live(device)) < rule.forwardFirstBelow * double(cap);
    bool backwardsFirst = prefers.backwards && !prefersForwards;
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      int backwardTurn = prefers.lastBackward ? shape.chunks - 1 - chunk : chunk;
      int forwardTurn = prefers.lastForward ? shape.chunks - 1 - chunk : chunk;
      offer(choice, device, now, {PipelineActionKind::BackwardInput, state.backwards[chunk], chunk},
            backwardTurn + (backwardsFirst ? 0 : shape.chunks));
      if (admits(device, chunk, choice))
        offer(choice, device, now, {PipelineActionKind::Forward, state.forwards[chunk], chunk},
              forwardTurn + (backwardsFirst ? shape.chunks : 0));
    }
    return choice;
  }

  bool isLate(int device) const {
    return double(devices[device].forwards.front()) >=
           double(shape.microbatches) - rule.latePart * shape.devices;
  }

  void offer(Choice &choice, int device, double now, const PipelineAction &work, double key) const {
    if (work.microbatch == shape.microbatches)
      return;
    std::optional<double> ready = clock.ready(device, work);
    if (!ready)
      return;
    if (*ready > now) {
      choice.nextReady = std::min(choice.nextReady, *ready);
    } else if (key < choice.key) {
      choice.work = work;
      choice.key = key;
    }
  }

  /// Whether the next forward of `chunk` may start. Memory for all chunks of the device's oldest
  /// microbatch is always reserved. So that microbatch can finish and free its memory.
  bool admits(int device, int chunk, Choice &choice) const {
    const Device &state = devices[device];
    int64_t oldest = *std::min_element(state.forwards.begin(), state.forwards.end());
    bool isOldest = state.forwards[chunk] == oldest;
    int64_t reserved = std::count(state.forwards.begin(), state.forwards.end(), oldest);
    int64_t live = clock.live(device);
    if (live + (isOldest ? 1 : 1 + reserved) > cap) {
      choice.lacksMemory = true;
      return false;
    }
    if (isOldest && chunk > 0)
      return true;
    double inFlight = double(live - int64_t(state.pending.size()));
    return (isLate(device) || inFlight < rule.inFlight * double(cap)) &&
           !isTooFarAhead(device, chunk);
  }

  bool isTooFarAhead(int device, int chunk) const {
    if (chunk + 1 == shape.chunks)
      return false;
    const std::vector<int64_t> &forwards = devices[device].forwards;
    int between = shape.stageOf(device, chunk + 1) - shape.stageOf(device, chunk);
    return double(forwards[chunk] - forwards[chunk + 1]) >= 1 + rule.lead * (between / 2.0);
  }

  void perform(int device, const PipelineAction &work) {
    Device &state = devices[device];
    clock.perform(device, work);
    state.done.push_back(work);
    double end = clock.now(device);
    int stage = shape.stageOf(device, work.chunk);
    if (work.kind == PipelineActionKind::Forward) {
      ++state.forwards[work.chunk];
      wakeUpNeighbor(stage + 1, device, end);
    } else if (work.kind == PipelineActionKind::BackwardInput) {
      ++state.backwards[work.chunk];
      state.pending.push_back({PipelineActionKind::BackwardWeight, work.microbatch, work.chunk});
      wakeUpNeighbor(stage - 1, device, end);
    }
    wakeUps.push({end, device});
  }

  /// Wakes up the device of a neighboring stage when the result of `device` from time `end`
  /// arrives.
  void wakeUpNeighbor(int stage, int device, double end) {
    if (stage < 0 || stage == shape.stages())
      return;
    int to = shape.deviceOf(stage);
    wakeUps.push({to == device ? end : end + times.latency, to});
  }

  const PipelineShape &shape;
  const PipelineTimes &times;
  int64_t cap;
  const ListRule &rule;
  Clock clock;
  std::vector<Device> devices;
  using WakeUp = std::pair<double, int>;
  std::priority_queue<WakeUp, std::vector<WakeUp>, std::greater<>> wakeUps;
};

} // namespace

/// Returns an order with at most `cap` live microbatches per device, counted per virtual stage.
/// Empty if the cap is smaller than the number of chunks of a device.
static Order listSchedule(const PipelineShape &shape, const PipelineTimes &times, int64_t cap,
                          const ListRule &rule) {
  return cap < shape.chunks ? Order() : ListScheduler(shape, times, cap, rule).schedule();
}

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
    move(rule.latePart, 0, 3);
    move(rule.forwardFirstBelow, 0, 1);
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
