// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A named schedule is expanded into an order. For `auto`, orders are searched in both placements
// and the shortest one wins. order::run then gives the times, in the unit of `--times`.
#include "tools/pcc/subcommands/ScheduleSimulation.h"

#include "passes/solve/order/AutoSchedule.h"
#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Schedule.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/report/SimulationReports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <optional>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;
namespace json = llvm::json;

/// Largest accepted time; sums of many such times stay finite.
static constexpr double maxTime = 1e100;
/// Largest number of forwards and backwards in one simulation, which takes some seconds.
static constexpr int64_t maxWork = int64_t(1) << 24;

/// Parses `0.25`, `1e-3` or `1/4`; returns nothing for text that is no number from 0 to
/// `maxTime`.
static std::optional<double> readTime(llvm::StringRef text) {
  auto [top, bottom] = text.trim().split('/');
  double value = 0, divisor = 1;
  if (top.getAsDouble(value) || (text.contains('/') && bottom.getAsDouble(divisor)))
    return std::nullopt;
  value /= divisor;
  return value >= 0 && value <= maxTime ? std::optional(value) : std::nullopt;
}

static char letterOfWork(const order::PipelineAction &work) {
  switch (work.kind) {
  case order::PipelineActionKind::Forward:
    return letterOf(BarKind::Forward, work.microbatch);
  case order::PipelineActionKind::BackwardWeight:
    return letterOf(BarKind::BackwardWeight, work.microbatch);
  case order::PipelineActionKind::Overlapped:
    return letterOf(BarKind::Backward, work.backwardMicrobatch);
  default:
    return letterOf(BarKind::Backward, work.microbatch);
  }
}

/// An order of work and the times at which it runs.
struct ScheduleFlags::Simulated {
  std::string name; ///< of the schedule
  order::PipelineShape shape;
  order::PipelineTimes times;
  order::Order order;
  order::Timeline timeline;

  json::Value toJson() const;
  void print(int columns) const;
};

json::Value ScheduleFlags::Simulated::toJson() const {
  json::Array bubbles, idle;
  for (int device = 0; device < shape.devices; ++device) {
    bubbles.push_back(timeline.bubble(device));
    idle.push_back(timeline.bubble(device) + timeline.end - timeline.length(device));
  }
  return json::Object{{"schedule", name},
                      {"virtual_stages", shape.chunks},
                      {"makespan", timeline.end},
                      {"bubble", std::move(bubbles)},
                      {"idle", std::move(idle)},
                      {"bubble_rate", timeline.bubbleRate()},
                      {"peak_live", json::Array(timeline.peakLive)}};
}

void ScheduleFlags::Simulated::print(int columns) const {
  std::vector<GanttRow> rows;
  for (int device = 0; device < shape.devices; ++device) {
    GanttRow &row = rows.emplace_back();
    row.name = "device " + std::to_string(device);
    for (auto [work, span] : llvm::zip(this->order[device], timeline.spans[device]))
      row.bars.push_back({span.begin, span.end, letterOfWork(work)});
  }
  if (columns)
    printGantt(llvm::outs(), rows, timeline.end, columns);
  llvm::outs() << llvm::formatv("\n{0,-8}{1,14}{2,14}{3,12}\n", "device", "length", "bubble",
                                "peak live");
  for (int device = 0; device < shape.devices; ++device)
    llvm::outs() << llvm::formatv("{0,-8}{1,14:f4}{2,14:f4}{3,12}\n", device,
                                  timeline.length(device), timeline.bubble(device),
                                  timeline.peakLive[device]);
  llvm::outs() << llvm::formatv(
      "\n{0}, {1} virtual stage{2} per device: makespan {3:f4}, bubble rate "
      "{4:f4}\n",
      name, shape.chunks, shape.chunks == 1 ? "" : "s", timeline.end, timeline.bubbleRate());
}

/// Returns the description of flag --schedule. The option keeps a reference to it.
static llvm::StringRef describeSchedules() {
  static const std::string description =
      "schedule to simulate alone, with the same times in all stages: " +
      order::listScheduleNames() + " or auto";
  return description;
}

ScheduleFlags::ScheduleFlags(cl::SubCommand &command)
    : schedule("schedule", cl::desc(describeSchedules()), cl::value_desc("name"), cl::sub(command)),
      times("times",
            cl::desc(
                "times of the forward, input gradients and weight gradients of one microbatch in "
                "one virtual stage, and of an overlapped forward and backward (default: 1,1,1)"),
            cl::value_desc("F,B,W[,FB]"), cl::init("1,1,1"), cl::sub(command)),
      latency(
          "latency",
          cl::desc("time from the end of an action to its result at the next device (default: 0)"),
          cl::init("0"), cl::sub(command)),
      liveLimit(
          "live-limit",
          cl::desc("limit of live microbatches of a device under schedule auto (default: 0, the "
                   "number of devices, as 1f1b)"),
          cl::init(0), cl::sub(command)) {}

llvm::StringRef ScheduleFlags::givenFlag() const {
  const cl::Option &timesFlag = times, &latencyFlag = latency, &limitFlag = liveLimit;
  for (const cl::Option *option : {&timesFlag, &latencyFlag, &limitFlag})
    if (option->getNumOccurrences())
      return option->ArgStr;
  return "";
}

/// Reads F, B, W, the latency and, if it is given, FB.
ExitCode ScheduleFlags::readTimes(std::vector<double> &values) const {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(times).split(parts, ',');
  for (llvm::StringRef part : parts)
    if (std::optional<double> value = readTime(part))
      values.push_back(*value);
  if (values.size() != parts.size() || values.size() < 3 || values.size() > 4)
    return fail(BadUsage,
                "'--times': expected F,B,W or F,B,W,FB, each from 0 to 1e100, got '" + times + "'");
  std::optional<double> delay = readTime(latency);
  if (!delay)
    return fail(BadUsage, "'--latency': expected a time from 0 to 1e100, got '" + latency + "'");
  values.insert(values.begin() + 3, *delay);
  return Success;
}

/// Returns the same times for all stages, divided by `parts`.
static order::PipelineTimes makeTimes(const order::PipelineShape &shape,
                                      const std::vector<double> &values, double parts = 1) {
  auto times = order::PipelineTimes::uniform(
      shape, {values[0] / parts, values[1] / parts, values[2] / parts}, values[3]);
  if (values.size() == 5)
    times.overlap = (values[0] + values[1] + values[2] - values[4]) / parts;
  return times;
}

ExitCode ScheduleFlags::expandOrder(const ScheduleCounts &counts, const std::vector<double> &values,
                                    Simulated &result) const {
  const order::Schedule *found = order::findSchedule(llvm::StringRef(schedule).lower());
  if (!found)
    return fail(BadUsage, "'--schedule': expected " + order::listScheduleNames() +
                              " or auto, got '" + schedule + "'");
  result.name = found->name;
  result.shape = {counts.stages, counts.microbatches,
                  counts.chunks ? counts.chunks : found->defaultChunks(), found->placement};
  if (std::string error = found->findViolation(result.shape); !error.empty())
    return fail(BadUsage, llvm::formatv("'--schedule={0}': {1}", found->name, error));
  result.times = makeTimes(result.shape, values);
  result.order = found->expand(result.shape, result.times);
  return Success;
}

/// Searches both placements. If the number of virtual stages is open, tries one and two per stage.
ExitCode ScheduleFlags::searchOrder(const ScheduleCounts &counts, const std::vector<double> &values,
                                    Simulated &result) const {
  double best = std::numeric_limits<double>::infinity();
  for (int count : counts.chunks ? std::vector<int>{counts.chunks} : std::vector<int>{1, 2})
    for (order::Placement placement : {order::Placement::Looped, order::Placement::Vee}) {
      if (placement == order::Placement::Vee && count != 2)
        continue;
      order::PipelineShape shape{counts.stages, counts.microbatches, count, placement};
      order::PipelineTimes times = makeTimes(shape, values, counts.chunks ? 1 : count);
      int64_t cap = int64_t(count) * (liveLimit ? liveLimit : counts.stages);
      order::AutoSchedule found = order::autoSchedule(shape, times, {.cap = cap});
      if (found.order.empty() || found.length >= best)
        continue;
      best = found.length;
      result = {found.name, shape, std::move(times), std::move(found.order), {}};
    }
  if (result.order.empty())
    return fail(Infeasible,
                llvm::formatv("no schedule keeps at most {0} microbatches live on a device",
                              int(liveLimit)));
  return Success;
}

ExitCode ScheduleFlags::run(const ScheduleCounts &counts, int columns, bool isJson) const {
  if (liveLimit < 0)
    return fail(BadUsage,
                llvm::formatv("'--live-limit': expected 0 or more, got {0}", int(liveLimit)));
  int64_t most = maxWork / (2 * int64_t(counts.stages) * std::max(counts.chunks, 1));
  if (counts.microbatches > most)
    return fail(BadUsage, llvm::formatv("'--micro-batches': expected at most {0} in a simulation "
                                        "of {1} stages, got {2}",
                                        most, counts.stages, counts.microbatches));
  std::vector<double> values;
  if (ExitCode code = readTimes(values))
    return code;
  bool isAuto = llvm::StringRef(schedule).equals_insensitive("auto");
  Simulated simulated;
  if (ExitCode code =
          isAuto ? searchOrder(counts, values, simulated) : expandOrder(counts, values, simulated))
    return code;
  simulated.timeline = order::run(simulated.shape, simulated.order, simulated.times);
  if (!simulated.timeline.deadlock.empty())
    return fail(InternalError,
                "'" + simulated.name + "' cannot run: " + simulated.timeline.deadlock);
  isJson ? printJson(simulated.toJson()) : simulated.print(columns);
  return Success;
}
