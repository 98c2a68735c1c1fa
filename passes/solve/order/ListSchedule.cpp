// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/ListSchedule.h"

#include "passes/solve/order/Clock.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>

namespace pcc::order {

namespace {

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
    bool rushes = double(clock.live(device)) < rule.rush * double(cap);
    bool backwardsFirst = prefers.backwards && !rushes;
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
           double(shape.microbatches) - rule.hurry * shape.devices;
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

Order listSchedule(const PipelineShape &shape, const PipelineTimes &times, int64_t cap,
                   const ListRule &rule) {
  return cap < shape.chunks ? Order() : ListScheduler(shape, times, cap, rule).schedule();
}

} // namespace pcc::order
