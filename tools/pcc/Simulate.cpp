// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc simulate --schedule=…: a pipeline schedule with the same times in all stages, its timeline,
// its bubble, and how many microbatches it keeps live.

#include "passes/solve/order/AutoSchedule.h"
#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Schedule.h"
#include "tools/pcc/Gantt.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Verb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;
namespace json = llvm::json;

/// `0.25`, `1e-3` or `1/4`; nothing if it is no number of at least 0.
static std::optional<double> readTime(llvm::StringRef text) {
  auto [top, bottom] = text.trim().split('/');
  double value = 0, divisor = 1;
  if (top.getAsDouble(value) || (text.contains('/') && bottom.getAsDouble(divisor)))
    return std::nullopt;
  value /= divisor;
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

static char letterOf(const order::Work &work) {
  static constexpr llvm::StringLiteral digits = "0123456789";
  int64_t letter =
      (work.kind == order::WorkKind::Overlapped ? work.backwardMicrobatch : work.microbatch) % 26;
  switch (work.kind) {
  case order::WorkKind::Forward:
    return digits[work.microbatch % 10];
  case order::WorkKind::BackwardWeight:
    return char('A' + letter);
  default:
    return char('a' + letter);
  }
}

namespace {

/// An order and when its work runs.
struct Simulated {
  std::string name; ///< of the schedule
  order::PipelineShape shape;
  order::PipelineTimes times;
  order::Order order;
  order::Timeline timeline;
};

class SimulateVerb : public Verb {
public:
  SimulateVerb()
      : Verb("simulate", "the timeline of a pipeline schedule"),
        schedule("schedule", cl::desc(order::listScheduleNames() + " or auto"), cl::sub(command)),
        stages("pipeline-stages", cl::desc("devices of the pipeline"), cl::init(1),
               cl::sub(command)),
        microbatches("micro-batches", cl::desc("of a step"), cl::init(1), cl::sub(command)),
        chunks("virtual-stages", cl::desc("chunks of the model on each device"), cl::init(0),
               cl::sub(command)),
        times("times",
              cl::desc("of the forward, the input gradients and the weight gradients of one "
                       "microbatch in one chunk, and of an overlapped forward and backward"),
              cl::value_desc("F,B,W[,FB]"), cl::init("1,1,1"), cl::sub(command)),
        latency("latency", cl::desc("from the end of work to its result at the next device"),
                cl::init("0"), cl::sub(command)),
        liveLimit(
            "live-limit",
            cl::desc("microbatches that a device of schedule auto may keep live; 0: as many as "
                     "there are devices, as 1f1b"),
            cl::init(0), cl::sub(command)),
        columns("columns", cl::desc("of the timeline; 0: none"), cl::init(100), cl::sub(command)),
        format(command) {}

  ExitCode run() override {
    if (ExitCode code = checkCounts())
      return code;
    std::vector<double> values;
    if (ExitCode code = readTimes(values))
      return code;
    bool isAuto = llvm::StringRef(schedule).equals_insensitive("auto");
    Simulated simulated;
    if (ExitCode code = isAuto ? searchOrder(values, simulated) : expandOrder(values, simulated))
      return code;
    simulated.timeline = order::run(simulated.shape, simulated.order, simulated.times);
    if (!simulated.timeline.deadlock.empty())
      return fail(InternalError,
                  "'" + simulated.name + "' cannot run: " + simulated.timeline.deadlock);
    format.isJson() ? printJson(toJson(simulated)) : print(simulated);
    return Success;
  }

private:
  ExitCode checkCounts() const {
    for (auto [flag, value, least] : {std::tuple("--pipeline-stages", int(stages), 1),
                                      std::tuple("--micro-batches", int(microbatches), 1),
                                      std::tuple("--virtual-stages", int(chunks), 0),
                                      std::tuple("--live-limit", int(liveLimit), 0)})
      if (value < least)
        return fail(BadUsage,
                    llvm::formatv("'{0}': expected {1} or more, got {2}", flag, least, value));
    return Success;
  }

  /// F, B, W, the latency and, if it is given, FB.
  ExitCode readTimes(std::vector<double> &values) const {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(times).split(parts, ',');
    for (llvm::StringRef part : parts)
      if (std::optional<double> value = readTime(part))
        values.push_back(*value);
    if (values.size() != parts.size() || values.size() < 3 || values.size() > 4)
      return fail(BadUsage,
                  "'--times': expected F,B,W or F,B,W,FB, none below 0, got '" + times + "'");
    std::optional<double> delay = readTime(latency);
    if (!delay)
      return fail(BadUsage, "'--latency': expected a time of at least 0, got '" + latency + "'");
    values.insert(values.begin() + 3, *delay);
    return Success;
  }

  /// The same times in all stages, divided by `parts`.
  static order::PipelineTimes makeTimes(const order::PipelineShape &shape,
                                        const std::vector<double> &values, double parts = 1) {
    auto times = order::PipelineTimes::uniform(
        shape, {values[0] / parts, values[1] / parts, values[2] / parts}, values[3]);
    if (values.size() == 5)
      times.overlap = (values[0] + values[1] + values[2] - values[4]) / parts;
    return times;
  }

  ExitCode expandOrder(const std::vector<double> &values, Simulated &result) const {
    const order::Schedule *found = order::findSchedule(llvm::StringRef(schedule).lower());
    if (!found)
      return fail(BadUsage, "'--schedule': expected " + order::listScheduleNames() +
                                " or auto, got '" + schedule + "'");
    result.name = found->name;
    result.shape = {stages, microbatches, chunks ? chunks : found->defaultChunks(),
                    found->placement};
    if (std::string error = found->whyNot(result.shape); !error.empty())
      return fail(BadUsage, llvm::formatv("'--schedule={0}': {1}", found->name, error));
    result.times = makeTimes(result.shape, values);
    result.order = found->expand(result.shape, result.times);
    return Success;
  }

  /// Both placements; where the number of chunks is free, whole stages and halves of them.
  ExitCode searchOrder(const std::vector<double> &values, Simulated &result) const {
    double best = std::numeric_limits<double>::infinity();
    for (int count : chunks ? std::vector<int>{chunks} : std::vector<int>{1, 2})
      for (order::Placement placement : {order::Placement::Looped, order::Placement::Vee}) {
        if (placement == order::Placement::Vee && count != 2)
          continue;
        order::PipelineShape shape{stages, microbatches, count, placement};
        order::PipelineTimes times = makeTimes(shape, values, chunks ? 1 : count);
        int64_t cap = int64_t(count) * (liveLimit ? liveLimit : stages);
        order::AutoSchedule found = order::autoSchedule(shape, times, {.cap = cap});
        if (found.order.empty() || found.length >= best)
          continue;
        best = found.length;
        result = {found.name, shape, std::move(times), std::move(found.order), {}};
      }
    if (result.order.empty())
      return fail(Infeasible, llvm::formatv("no order keeps at most {0} microbatches live on a "
                                            "device of {1} chunks",
                                            int(liveLimit), int(chunks)));
    return Success;
  }

  /// What of the longest time of a device is no work.
  static double bubbleRate(const Simulated &simulated) {
    double work = 0;
    for (const order::PipelineTimes::Stage &stage : simulated.times.stages)
      work += stage.forward + stage.backwardInput + stage.backwardWeight;
    work *= double(simulated.shape.microbatches) / simulated.shape.devices;
    double length = simulated.timeline.longest();
    return length > 0 ? 1 - work / length : 0;
  }

  static json::Value toJson(const Simulated &simulated) {
    const order::Timeline &timeline = simulated.timeline;
    json::Array bubbles, idle;
    for (int device = 0; device < simulated.shape.devices; ++device) {
      bubbles.push_back(timeline.bubble(device));
      idle.push_back(timeline.bubble(device) + timeline.end - timeline.length(device));
    }
    return json::Object{{"schedule", simulated.name},
                        {"virtual_stages", simulated.shape.chunks},
                        {"makespan", timeline.end},
                        {"bubble", std::move(bubbles)},
                        {"idle", std::move(idle)},
                        {"bubble_rate", bubbleRate(simulated)},
                        {"peak_live", json::Array(timeline.peakLive)}};
  }

  void print(const Simulated &simulated) const {
    const order::Timeline &timeline = simulated.timeline;
    std::vector<GanttRow> rows;
    for (int device = 0; device < simulated.shape.devices; ++device) {
      GanttRow &row = rows.emplace_back();
      row.name = "device " + std::to_string(device);
      for (auto [work, span] : llvm::zip(simulated.order[device], timeline.spans[device]))
        row.bars.push_back({span.begin, span.end, letterOf(work)});
    }
    if (columns)
      printGantt(llvm::outs(), rows, timeline.end, columns);
    llvm::outs() << llvm::formatv("\n{0,-8}{1,14}{2,14}{3,12}\n", "device", "length", "bubble",
                                  "peak live");
    for (int device = 0; device < simulated.shape.devices; ++device)
      llvm::outs() << llvm::formatv("{0,-8}{1,14:f4}{2,14:f4}{3,12}\n", device,
                                    timeline.length(device), timeline.bubble(device),
                                    timeline.peakLive[device]);
    llvm::outs() << llvm::formatv("\n{0}, {1} chunks on a device: all done at {2:f4}, bubble rate "
                                  "{3:f4}\n",
                                  simulated.name, simulated.shape.chunks, timeline.end,
                                  bubbleRate(simulated));
  }

  cl::opt<std::string> schedule;
  cl::opt<int> stages, microbatches, chunks;
  cl::opt<std::string> times, latency;
  cl::opt<int> liveLimit, columns;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeSimulateVerb() { return std::make_unique<SimulateVerb>(); }
