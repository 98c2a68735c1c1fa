// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds section times per virtual stage, and runs the schedule's order on them (order::run). Then
// simulates the gradient reductions one after the other, each from when its gradients are ready.
// Overlapped collectives slow down the computation by their share of the device.
#include "compiler/plan/cost/PipelineCost.h"

#include "dialects/graph/Roles.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/StageSections.h"
#include "passes/analysis/cost/Cost.h"
#include "runtime/abi/ElementTypes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pcc::plan {
namespace {

/// Returns the cost of the section called `name`; null if the stage has no such section.
const SectionCost *find(const StepCost &step, const std::string &name) {
  auto found = llvm::find_if(step.sections, [&](auto &section) { return section.name == name; });
  return found == step.sections.end() ? nullptr : &*found;
}

/// Returns the times of one virtual stage, number `index` of its stage. Recomputation counts as
/// backward work, because the backward pass waits for it. Unless messages are hidden, sending and
/// receiving between sections count as work of the stage.
order::PipelineTimes::Stage timesOfChunk(const StepCost &step, int64_t index, int64_t chunks,
                                         bool hidesMessages) {
  auto sectionOf = [&](StringRef name) {
    return find(step, analysis::sectionOfVirtualStage(name, index, chunks));
  };
  order::PipelineTimes::Stage times;
  double again = 0;
  if (const SectionCost *forward = sectionOf(analysis::forwardTrainName)) {
    again = forward->recomputation();
    times.forward = forward->sum() - again + (hidesMessages ? 0 : forward->message);
  }
  for (StringRef name :
       {analysis::backwardName, analysis::backwardInputName, analysis::forwardBackwardName})
    if (const SectionCost *backward = sectionOf(name))
      times.backwardInput += backward->sum() + (hidesMessages ? 0 : backward->message);
  times.backwardInput += again;
  if (const SectionCost *weight = sectionOf(analysis::backwardWeightName))
    times.backwardWeight = weight->sum();
  return times;
}

/// Returns whether a section runs once per microbatch. In a program of one stage, one section runs
/// both the forward and the backward pass.
bool isOfMicrobatch(StringRef name) {
  return name.starts_with(analysis::forwardTrainName) || name.starts_with(analysis::backwardName) ||
         name == analysis::forwardBackwardName;
}

StageCost estimateStageCost(ModuleOp stage, const abi::Cluster &cluster,
                            const CostOptions &options) {
  StageCost cost;
  cost.step = estimateStepCost(stage, cluster, options);
  cost.hidesReductions = options.hidesReductions;
  cost.alignsReductions = options.system.alignsReductions;
  cost.hiddenShare = 1 - cluster.device().collective_share().value();
  for (const SectionCost &section : cost.step.sections)
    if (section.runs && !isOfMicrobatch(section.name))
      cost.ending += section.sum();
  double scale = double(abi::elementBytes(options.precision.activations)) / 4;
  for (analysis::Section section : analysis::collectSections(stage)) {
    bool isUpdate = !graph::findArgs(section.function, graph::RoleKind::Gradient).empty();
    if (isUpdate)
      cost.heldBytes = countHeldBytes(section.function, options.precision.activations);
    for (unsigned index : graph::findResults(section.function, graph::RoleKind::Saved)) {
      Type type = section.function.getResultTypes()[index];
      double bytes = double(analysis::getNumBytes(type));
      cost.savedBytes += int64_t(getElementTypeOrSelf(type).isF32() ? bytes * scale : bytes);
    }
  }
  for (const SectionCost &section : cost.step.sections)
    if (section.runs)
      cost.workBytes = std::max(cost.workBytes, section.liveBytes);
  return cost;
}

/// Times at which the work of one device runs.
struct DeviceTimes {
  int device;
  const std::vector<order::PipelineAction> &works;
  const std::vector<order::Span> &spans;

  double end() const { return spans.empty() ? 0 : spans.back().end; }

  /// Returns the end of a virtual stage's last backward work. `isOfInput`: excludes separate weight
  /// gradients.
  double lastBackward(int chunk, bool isOfInput) const {
    double last = 0;
    for (size_t i = 0; i < spans.size(); ++i)
      if (backwardChunk(works[i]) == chunk &&
          !(isOfInput && works[i].kind == order::PipelineActionKind::BackwardWeight))
        last = spans[i].end;
    return last;
  }

  /// Returns the end of the backward run that is `more` runs after the last one of a virtual stage.
  /// If there is no such run, returns the end of all work.
  double behindLastBackward(int chunk, int more) const {
    std::vector<double> ends;
    size_t wanted = 0;
    for (size_t i = 0; i < spans.size(); ++i)
      if (int own = backwardChunk(works[i]); own >= 0) {
        ends.push_back(spans[i].end);
        wanted = own == chunk ? ends.size() - 1 + more : wanted;
      }
    return wanted < ends.size() ? ends[wanted] : end();
  }

  /// Returns the busy seconds of the device between `begin` and `end`.
  double countBusy(double begin, double end) const {
    auto span = llvm::partition_point(spans, [&](auto &each) { return each.end <= begin; });
    double seconds = 0;
    for (; span != spans.end() && span->begin < end; ++span)
      seconds += std::min(end, span->end) - std::max(begin, span->begin);
    return seconds;
  }

  static int backwardChunk(const order::PipelineAction &work) {
    if (work.kind == order::PipelineActionKind::Overlapped)
      return work.backwardChunk;
    return work.kind == order::PipelineActionKind::Forward ? -1 : work.chunk;
  }
};

/// Returns the reductions of a virtual stage, with the names of its one or two sections with
/// gradients.
std::vector<std::pair<StringRef, const SectionReductions *>> listReductions(const StepCost &step,
                                                                            int chunk, int chunks) {
  std::vector<std::pair<StringRef, const SectionReductions *>> list;
  for (StringRef name : {analysis::backwardName, analysis::backwardInputName,
                         analysis::backwardWeightName, analysis::forwardBackwardName}) {
    std::string section = analysis::sectionOfVirtualStage(name, chunk, chunks);
    for (const SectionReductions &reductions : step.sectionReductions)
      if (reductions.section == section)
        list.push_back({name, &reductions});
  }
  return list;
}

/// A reduction that may begin at `ready`.
struct Reduction {
  double ready, seconds;
};

/// Returns the reductions in the order in which they become ready. A reduction that belongs to no
/// section of a virtual stage is ready at the end.
std::vector<Reduction> orderReductions(const StageCost &stage, int chunks,
                                       const DeviceTimes &times) {
  std::vector<Reduction> reductions;
  llvm::DenseSet<const SectionReductions *> listed;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    bool waits = stage.alignsReductions && (chunks > 1 || times.device > 0);
    int later = chunks > 1 ? times.device : 0;
    double launch = times.behindLastBackward(chunk, later);
    for (auto [name, own] : listReductions(stage.step, chunk, chunks)) {
      listed.insert(own);
      double end = times.lastBackward(chunk, name == analysis::backwardInputName);
      for (const SectionReductions::Bucket &bucket : own->buckets)
        reductions.push_back({waits ? launch : end - bucket.timeLeft, bucket.seconds});
    }
  }
  for (const SectionReductions &other : stage.step.sectionReductions)
    if (!listed.contains(&other))
      reductions.push_back({times.end(), other.sum()});
  llvm::stable_sort(reductions, [](auto &a, auto &b) { return a.ready < b.ready; });
  return reductions;
}

/// Returns the seconds by which gradient reductions lengthen a stage. These are the reductions
/// after its last work, plus the slowdown of matmuls during earlier reductions.
double exposedReductions(const StageCost &stage, int chunks, const DeviceTimes &times) {
  double done = stage.hidesReductions ? 0 : times.end(), taken = 0;
  for (const Reduction &reduction : orderReductions(stage, chunks, times)) {
    double begin = std::max(done, reduction.ready);
    done = begin + reduction.seconds;
    taken += times.countBusy(begin, done) * (1 - stage.hiddenShare);
  }
  return std::max(0.0, done - times.end()) + taken;
}

/// Returns the seconds by which gathers of parameters lengthen the first forward passes. These are
/// the exposed part, plus the slowdown of matmuls during hidden gathers. The gathers of virtual
/// stages are proportional to their reductions.
double exposedGathers(const StageCost &stage, int chunks) {
  if (!stage.hidesReductions)
    return stage.step.gathers;
  double reductions = 0, exposed = 0;
  for (const SectionReductions &each : stage.step.sectionReductions)
    reductions += each.sum();
  for (int chunk = 0; chunk < chunks; ++chunk) {
    double own = 0;
    for (auto [name, each] : listReductions(stage.step, chunk, chunks))
      own += each->sum();
    double gathers = stage.step.gathers * (own > 0 ? own / reductions : 1.0 / chunks);
    for (StringRef name : {analysis::forwardTrainName, analysis::forwardBackwardName})
      if (const SectionCost *section =
              find(stage.step, analysis::sectionOfVirtualStage(name, chunk, chunks)))
        gathers -= section->forward.sum();
    exposed += std::max(0.0, gathers);
  }
  return exposed + (stage.step.gathers - exposed) * (1 - stage.hiddenShare);
}

} // namespace

PipelineCost estimatePipelineCost(ArrayRef<ModuleOp> stages, const order::PipelineShape &shape,
                                  const abi::Cluster &cluster, const CostOptions &options) {
  PipelineCost cost;
  for (ModuleOp stage : stages)
    cost.stages.push_back(estimateStageCost(stage, cluster, options));
  cost.times.stages.resize(shape.stages());
  for (int device = 0; device < shape.devices; ++device) {
    const StepCost &step = cost.stages[device].step;
    for (int index = 0; index < shape.chunks; ++index)
      cost.times.stages[shape.stageOf(device, index)] =
          timesOfChunk(step, index, shape.chunks, options.system.hidesMessages);
    for (const SectionCost &section : step.sections)
      if (options.system.hidesMessages && isOfMicrobatch(section.name))
        cost.times.latency = std::max(cost.times.latency, section.message);
  }
  return cost;
}

PipelineCost::Outcome PipelineCost::run(const order::PipelineShape &shape,
                                        const order::Order &order) const {
  Outcome outcome;
  outcome.timeline = order::run(shape, order, times);
  for (int device = 0; device < shape.devices; ++device) {
    const StageCost &stage = stages[device];
    DeviceTimes times{device, order[device], outcome.timeline.spans[device]};
    outcome.seconds = std::max(outcome.seconds, times.end() + stage.ending +
                                                    exposedReductions(stage, shape.chunks, times) +
                                                    exposedGathers(stage, shape.chunks));
    // `live` counts microbatches of virtual stages; each saves its part of the bytes.
    int64_t live = outcome.timeline.peakLive[device];
    outcome.peakBytes.push_back(stage.heldBytes + stage.workBytes +
                                stage.savedBytes * live / shape.chunks);
  }
  return outcome;
}

int64_t PipelineCost::getLiveLimit(int chunks, int64_t memory) const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const StageCost &stage : stages)
    least = std::min(least, (memory - stage.heldBytes - stage.workBytes) * chunks /
                                std::max<int64_t>(stage.savedBytes, 1));
  return least;
}

} // namespace pcc::plan
