// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The named schedules in three groups. The looped ones follow from two numbers per device. zb-v
// takes the phases of VeeSchedules.cpp and inserts weight gradients by simulation. dualpipe-v
// consists of phases alone.
#include "passes/solve/order/Schedule.h"

#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Pipeline.h"
#include <algorithm>
#include <deque>

namespace pcc::order {

// Schedules that are defined by two numbers per device. All forwards of a device are numbered from
// 0 in their order, and so are all backwards.
//
//   forward i    before backward j           if and only if i < j + lead
//   backward j   before weight gradients k   if and only if j ≤ k + delay
//
// At most `lead` microbatches are thus between their forward and their backward, and at most lead +
// delay between their forward and their weight gradients.

namespace {

struct Window {
  int64_t lead = 1;
  int64_t delay = 0;
  bool splitsBackward = false;
};

} // namespace

/// All forwards, then all backwards (Huang et al., "GPipe", NeurIPS 2019).
///
///   p = 2, m = 3     012...aabbcc          digits: forwards; letters: backwards, which take
///                     012aabbcc            twice as long; dots: idle
static Window gpipe(const PipelineShape &shape, int) { return {.lead = shape.microbatches}; }

/// Alternates a forward and a backward as soon as the first backward is ready (Narayanan et al.,
/// "PipeDream", SOSP 2019, with a flush after the step).
///
///   p = 2, m = 3     01..aa2bb.cc
///                     0aa1bb2cc
static Window oneForwardOneBackward(const PipelineShape &shape, int device) {
  return {.lead = shape.devices - device};
}

/// 1F1B over v chunks: p microbatches pass one chunk, then the next (Narayanan et al., "Efficient
/// large-scale language model training on GPU clusters using Megatron-LM", SC 2021, section 2.2).
///
///   forwards of a device, p = 2, m = 4, v = 2
///   microbatch   0 1 0 1 2 3 2 3
///   chunk        0 0 1 1 0 0 1 1
static Window interleaved(const PipelineShape &shape, int device) {
  int64_t devicesAfter = shape.devices - 1 - device;
  return {.lead = 2 * devicesAfter + int64_t(shape.chunks - 1) * shape.devices + 1};
}

/// Delays weight gradients as long as 1F1B's memory allows (Qi et al., "Zero bubble pipeline
/// parallelism", ICLR 2024, figure 2). Capitals are weight gradients.
///
/// The bubble is (p − 1)(F + B − W) for W ≤ F. With longer weight gradients the first backward
/// comes no sooner, and devices wait (p − 1) B for it.
///
///   p = 2, m = 3     01.aA2bBcC
///                     0a1bA2cBC
static Window zeroBubbleOne(const PipelineShape &shape, int device) {
  return {.lead = shape.devices - device, .delay = device, .splitsBackward = true};
}

/// Uses twice the memory. The last device starts as much later as the first device ends earlier (Qi
/// et al., figure 3).
///
///   p = 2, m = 4     012aA3bBcCdD
///                     0a1b2cA3dBCD
static Window zeroBubbleTwo(const PipelineShape &shape, int device) {
  return {.lead = 2 * (shape.devices - device) - 1, .delay = 2 * device, .splitsBackward = true};
}

namespace {

/// An action of a device with its sort key.
struct Placed {
  int64_t key;
  int rank; ///< at equal `key`: backwards, then weight gradients, then forwards
  PipelineAction work;

  bool operator<(const Placed &other) const {
    return key != other.key ? key < other.key : rank < other.rank;
  }
};

} // namespace

/// Returns the number of a forward in chunk `turn`. Backwards visit the chunks in the opposite
/// order, so `turn` then counts from the last chunk.
static int64_t numberOf(const PipelineShape &shape, int64_t microbatch, int turn) {
  int64_t round = microbatch / shape.devices, within = microbatch % shape.devices;
  return shape.chunks == 1 ? microbatch : (round * shape.chunks + turn) * shape.devices + within;
}

/// Returns the order that the windows of all devices define.
static Order expand(const PipelineShape &shape,
                    Window (*windowOf)(const PipelineShape &, int device)) {
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

// Insertion of weight gradients into an order without them. They go into idle times of a device,
// before a forward that lacks memory, and at the end.

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

/// Inserts weight gradients into `order`, which has forwards and input gradients. At most `cap`
/// microbatches, counted per virtual stage, are live on a device, unless forwards alone need more.
/// Returns an empty order if `order` cannot run.
static Order fillWeights(const PipelineShape &shape, const Order &order, const PipelineTimes &times,
                         int64_t cap) {
  return Filler(shape, order, times, cap).fill();
}

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
