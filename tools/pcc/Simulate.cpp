// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc simulate --schedule=…: a pipeline schedule with the same times in all stages, its timeline,
// its bubble, and how many microbatches it keeps live.

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

class SimulateVerb : public Verb {
public:
  SimulateVerb()
      : Verb("simulate", "the timeline of a pipeline schedule"),
        schedule("schedule", cl::desc(order::listScheduleNames()), cl::sub(command)),
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
        columns("columns", cl::desc("of the timeline; 0: none"), cl::init(100), cl::sub(command)),
        format(command) {}

  ExitCode run() override {
    const order::Schedule *found = order::findSchedule(llvm::StringRef(schedule).lower());
    if (!found)
      return fail(BadUsage, "'--schedule': expected " + order::listScheduleNames() + ", got '" +
                                schedule + "'");
    if (ExitCode code = readShape(*found))
      return code;
    order::PipelineTimes stageTimes;
    if (ExitCode code = readTimes(stageTimes))
      return code;
    order::Order order = found->expand(shape, stageTimes);
    order::Timeline timeline = order::run(shape, order, stageTimes);
    if (!timeline.deadlock.empty())
      return fail(InternalError, "'" + schedule + "' cannot run: " + timeline.deadlock);
    format.isJson() ? printJson(toJson(timeline, stageTimes)) : print(order, timeline, stageTimes);
    return Success;
  }

private:
  ExitCode readShape(const order::Schedule &found) {
    shape = {stages, microbatches, chunks ? chunks : found.defaultChunks(), found.placement};
    for (auto [flag, value] : {std::pair("--pipeline-stages", int64_t(stages)),
                               std::pair("--micro-batches", int64_t(microbatches)),
                               std::pair("--virtual-stages", int64_t(shape.chunks))})
      if (value < 1)
        return fail(BadUsage, llvm::formatv("'{0}': expected 1 or more, got {1}", flag, value));
    if (std::string error = found.whyNot(shape); !error.empty())
      return fail(BadUsage, llvm::formatv("'--schedule={0}': {1}", found.name, error));
    return Success;
  }

  ExitCode readTimes(order::PipelineTimes &result) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(times).split(parts, ',');
    llvm::SmallVector<double> values;
    for (llvm::StringRef part : parts)
      if (std::optional<double> value = readTime(part))
        values.push_back(*value);
    if (values.size() != parts.size() || values.size() < 3 || values.size() > 4)
      return fail(BadUsage,
                  "'--times': expected F,B,W or F,B,W,FB, none below 0, got '" + times + "'");
    std::optional<double> delay = readTime(latency);
    if (!delay)
      return fail(BadUsage, "'--latency': expected a time of at least 0, got '" + latency + "'");
    result = order::PipelineTimes::uniform(shape, {values[0], values[1], values[2]}, *delay);
    if (values.size() == 4)
      result.overlap = values[0] + values[1] + values[2] - values[3];
    return Success;
  }

  /// The longest that a device takes from its first to its last work.
  double longest(const order::Timeline &timeline) const {
    double length = 0;
    for (int device = 0; device < shape.devices; ++device)
      length = std::max(length, timeline.length(device));
    return length;
  }

  /// What of it is no work.
  double bubbleRate(const order::Timeline &timeline, const order::PipelineTimes &times) const {
    const order::PipelineTimes::Stage &stage = times.stages.front();
    double work = double(shape.microbatches) * shape.chunks *
                  (stage.forward + stage.backwardInput + stage.backwardWeight);
    double length = longest(timeline);
    return length > 0 ? 1 - work / length : 0;
  }

  json::Value toJson(const order::Timeline &timeline, const order::PipelineTimes &times) const {
    json::Array bubbles, idle;
    for (int device = 0; device < shape.devices; ++device) {
      bubbles.push_back(timeline.bubble(device));
      idle.push_back(timeline.bubble(device) + timeline.end - timeline.length(device));
    }
    return json::Object{{"makespan", timeline.end},
                        {"bubble", std::move(bubbles)},
                        {"idle", std::move(idle)},
                        {"bubble_rate", bubbleRate(timeline, times)},
                        {"peak_live", json::Array(timeline.peakLive)}};
  }

  void print(const order::Order &order, const order::Timeline &timeline,
             const order::PipelineTimes &times) const {
    std::vector<GanttRow> rows;
    for (int device = 0; device < shape.devices; ++device) {
      GanttRow &row = rows.emplace_back();
      row.name = "device " + std::to_string(device);
      for (auto [work, span] : llvm::zip(order[device], timeline.spans[device]))
        row.bars.push_back({span.begin, span.end, letterOf(work)});
    }
    if (columns)
      printGantt(llvm::outs(), rows, timeline.end, columns);
    llvm::outs() << llvm::formatv("\n{0,-8}{1,14}{2,14}{3,12}\n", "device", "length", "bubble",
                                  "peak live");
    for (int device = 0; device < shape.devices; ++device)
      llvm::outs() << llvm::formatv("{0,-8}{1,14:f4}{2,14:f4}{3,12}\n", device,
                                    timeline.length(device), timeline.bubble(device),
                                    timeline.peakLive[device]);
    llvm::outs() << llvm::formatv("\nall done at {0:f4}, bubble rate {1:f4}\n", timeline.end,
                                  bubbleRate(timeline, times));
  }

  cl::opt<std::string> schedule;
  cl::opt<int> stages, microbatches, chunks;
  cl::opt<std::string> times, latency;
  cl::opt<int> columns;
  FormatFlag format;
  order::PipelineShape shape;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeSimulateVerb() { return std::make_unique<SimulateVerb>(); }
