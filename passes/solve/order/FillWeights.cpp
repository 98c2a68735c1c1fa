// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/order/FillWeights.h"

#include "passes/solve/order/Clock.h"
#include <deque>

namespace pcc::order {

namespace {

/// State of one device.
struct Device {
  size_t next = 0;
  std::deque<PipelineAction> pending; ///< weight gradients, in the order of their input gradients
  std::vector<PipelineAction> done;
};

class Filler {
public:
  Filler(const PipelineShape &shape, const Order &order, const PipelineTimes &times, int64_t cap)
      : order(order), times(times), cap(cap), clock(shape, times), devices(shape.devices) {}

  Order fill() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t device = 0; device < devices.size(); ++device)
        while (step(device))
          moved = true;
    }
    Order filled;
    for (size_t device = 0; device < devices.size(); ++device) {
      if (devices[device].next < order[device].size())
        return {};
      while (!devices[device].pending.empty())
        performPending(device);
      filled.push_back(std::move(devices[device].done));
    }
    return filled;
  }

private:
  void performPending(int device) {
    PipelineAction weights = devices[device].pending.front();
    devices[device].pending.pop_front();
    clock.perform(device, weights);
    devices[device].done.push_back(weights);
  }

  /// Whether weight gradients come first: they end before `work` could start, or free memory for
  /// it.
  bool isTimeForPending(int device, const PipelineAction &work, double ready) const {
    if (devices[device].pending.empty())
      return false;
    double end = clock.now(device) + clock.timeOf(device, devices[device].pending.front());
    // Sums of equal times differ in rounding.
    constexpr double rounding = 1e-12;
    return end <= ready * (1 + rounding) ||
           (work.kind == PipelineActionKind::Forward && clock.live(device) >= cap);
  }

  /// Runs the next action of the order if its inputs are known.
  bool step(int device) {
    Device &state = devices[device];
    if (state.next == order[device].size())
      return false;
    const PipelineAction &work = order[device][state.next];
    std::optional<double> ready = clock.ready(device, work);
    if (!ready)
      return false;
    while (isTimeForPending(device, work, *ready))
      performPending(device);
    clock.perform(device, work);
    state.done.push_back(work);
    if (work.kind == PipelineActionKind::BackwardInput)
      state.pending.push_back({PipelineActionKind::BackwardWeight, work.microbatch, work.chunk});
    ++state.next;
    return true;
  }

  const Order &order;
  const PipelineTimes &times;
  int64_t cap;
  Clock clock;
  std::vector<Device> devices;
};

} // namespace

Order fillWeights(const PipelineShape &shape, const Order &order, const PipelineTimes &times,
                  int64_t cap) {
  return Filler(shape, order, times, cap).fill();
}

} // namespace pcc::order
