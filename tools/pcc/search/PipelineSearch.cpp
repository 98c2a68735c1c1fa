// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/search/PipelineSearch.h"

#include "compiler/PipelineShape.h"
#include "compiler/import/files/Locations.h"
#include "compiler/plan/MeshChoice.h"
#include "dialects/pipe/Constraints.h"
#include "dialects/pipe/Stages.h"
#include "passes/solve/order/Schedule.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace json = llvm::json;

static constexpr int maxStages = 64;

std::vector<int> PipelineSearch::listStages() const {
  const abi::ParallelConfig &config = options.parallel;
  std::vector<int> counts;
  for (int stages = 1; stages <= std::min(config.device_num(), maxStages); ++stages)
    if (config.device_num() % stages == 0 &&
        (!compileFlags.has("pipeline_stages") || stages == config.pipeline_stages()))
      counts.push_back(stages);
  return counts;
}

/// Returns schedules and memory limit, which are the same for all numbers of stages.
plan::PipelineSpace PipelineSearch::makeSpace() const {
  const abi::ParallelConfig &config = options.parallel;
  plan::PipelineSpace space;
  if (compileFlags.has("pipeline_schedule"))
    space.schedules = {getScheduleName(config)};
  else
    for (const order::Schedule &schedule : order::listSchedules())
      space.schedules.emplace_back(schedule.name);
  space.memoryLimit = config.memory_limit() > 0
                          ? config.memory_limit()
                          : int64_t(options.cluster->device().memory_bytes().value());
  return space;
}

std::vector<plan::PipelineCut> PipelineSearch::listCuts(plan::PipelineSpace space,
                                                        const plan::PipelineBounds &bounds) const {
  const abi::ParallelConfig &config = options.parallel;
  std::vector<plan::PipelineCut> cuts;
  for (int stages : listStages()) {
    space.stages = {stages};
    space.microbatches = {config.micro_batches()};
    if (!compileFlags.has("micro_batches"))
      space.microbatches = bounds.listMicrobatches(config.interleave_num(), stages, limits);
    space.chunks = compileFlags.has("virtual_stages") ? std::vector<int>{config.virtual_stages()}
                                                      : bounds.listChunks(stages, limits);
    llvm::append_range(cuts, plan::listCuts(space));
  }
  return cuts;
}

CompileOptions PipelineSearch::makeOptions(const plan::PipelineCut &cut) const {
  CompileOptions own = options;
  abi::ParallelConfig &config = own.parallel;
  config.set_pipeline_stages(cut.stages);
  config.set_micro_batches(int(cut.microbatches));
  config.set_virtual_stages(cut.chunks);
  own.training.microBatches = config.micro_batches();
  for (const order::Schedule &schedule : order::listSchedules())
    if (schedule.placement == cut.placement && schedule.splitsBackward == cut.splitsBackward &&
        schedule.findViolation(cut.getShape()).empty())
      setSchedule(config, schedule.name);
  if (cut.memory > 0)
    own.stageMemory = cut.memory;
  config.set_time_limit(std::max(config.time_limit() / double(numCuts), 0.1));
  return own;
}

/// Counts the constraints of `module` that ask stages to recompute ops.
static int64_t countRecomputed(mlir::ModuleOp module) {
  auto constraints = module->getAttrOfType<mlir::ArrayAttr>(pipe::constraintsAttrName);
  return constraints ? llvm::count_if(constraints.getAsRange<mlir::DictionaryAttr>(),
                                      [](mlir::DictionaryAttr constraint) {
                                        return constraint.contains("recompute");
                                      })
                     : 0;
}

/// Compiles one candidate. Diagnostics become the reason why it is invalid.
plan::CompiledCut PipelineSearch::compile(mlir::ModuleOp model, const plan::PipelineCut &cut) {
  import::FirstError error(model.getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = model.clone();
  CompileOptions own = makeOptions(cut);
  int64_t recomputed = 0;
  own.observe = [&](CompilePhase phase, mlir::ModuleOp current) {
    if (phase == CompilePhase::Grad)
      recomputed = countRecomputed(current);
    return mlir::success();
  };
  own.observeNoStages = [&] { exceedsMemory = true; };
  own.observeSearch = [&](llvm::ArrayRef<plan::MeshCandidate> meshes) {
    exceedsMemory |= !meshes.front().outcome.isFeasible();
  };
  if (mlir::failed(runPhases(*module, own, CompilePhase::Stages)))
    return {{}, error.str().empty() ? "compilation failed without a diagnostic" : error.str()};
  return {
      plan::estimatePipelineCost(*pipe::listPrograms(*module), cut.getShape(), *options.cluster),
      "", recomputed};
}

ExitCode PipelineSearch::run() {
  Session session;
  ExitCode code;
  mlir::OwningOpRef<mlir::ModuleOp> model = compileFlags.getModel().load(session.context, code);
  if (!model)
    return code;
  mlir::OwningOpRef<mlir::ModuleOp> simplified = model->clone();
  if (mlir::failed(runPhases(*simplified, singleRankOptions(options), CompilePhase::Graph)))
    return BadInput;
  plan::LayerCostOptions costs;
  costs.training.loss = options.training.loss;
  costs.training.optimizer = options.training.optimizer;
  costs.cluster = *options.cluster;
  plan::PipelineBounds bounds(*simplified, options.parallel.device_num(), std::move(costs));
  plan::PipelineSpace space = makeSpace();
  std::vector<plan::PipelineCut> cuts = listCuts(space, bounds);
  numCuts = std::max<size_t>(cuts.size(), 1);
  candidates = plan::rankPipelines(
      space, cuts, [&](const plan::PipelineCut &cut) { return bounds.boundSeconds(cut); },
      [&](const plan::PipelineCut &cut) { return compile(*model, cut); });
  if (candidates.empty())
    return fail(BadUsage, "no pipeline matches the flags; drop or change '--pipeline-stages', "
                          "'--micro-batches', '--virtual-stages' or '--pipeline-schedule'");
  const plan::PipelineCandidate &best = candidates.front();
  if (best.error.empty())
    return Success;
  return exceedsMemory || !best.schedule.empty() ? Infeasible : BadInput;
}

CompileOptions PipelineSearch::getBest() const {
  CompileOptions best = makeOptions(candidates.front().cut);
  setSchedule(best.parallel, candidates.front().schedule);
  return best;
}

/// Prints each reason why candidates could not be compiled, with their number.
static void printRefused(llvm::ArrayRef<plan::PipelineCandidate> candidates) {
  llvm::MapVector<llvm::StringRef, int> reasons;
  for (const plan::PipelineCandidate &candidate : candidates)
    if (candidate.schedule.empty() && !candidate.isPruned)
      ++reasons[candidate.error];
  for (auto [reason, count] : reasons)
    llvm::outs() << llvm::formatv("{0} not compiled: {1}\n", count, reason);
}

/// Prints the bounds of the pruned candidates by stages, microbatches and virtual stages:
/// `4 x 8 x 2: 2.31`, in ms. Candidates that share these numbers share the lowest of their bounds.
static void printPruned(llvm::ArrayRef<plan::PipelineCandidate> candidates) {
  std::map<std::tuple<int, int64_t, int>, double> bounds;
  int count = 0;
  for (const plan::PipelineCandidate &candidate : candidates) {
    if (!candidate.isPruned)
      continue;
    const plan::PipelineCut &cut = candidate.cut;
    auto [known, isNew] =
        bounds.try_emplace({cut.stages, cut.microbatches, cut.chunks}, candidate.bound);
    known->second = std::min(known->second, candidate.bound);
    ++count;
  }
  if (count == 0)
    return;
  llvm::outs() << count << " pruned by lower bound (stages x microbatches x virtual stages: ms):";
  for (auto [cut, seconds] : bounds)
    llvm::outs() << llvm::formatv("{0} {1} x {2} x {3}: {4:f4}",
                                  cut == bounds.begin()->first ? "" : ",", std::get<0>(cut),
                                  std::get<1>(cut), std::get<2>(cut), seconds * 1e3);
  llvm::outs() << "\n";
}

static void printRow(const plan::PipelineCandidate &candidate) {
  llvm::outs() << llvm::formatv("{0,6} {1,12} {2,7}  {3,-16} ", candidate.cut.stages,
                                candidate.cut.microbatches, candidate.cut.chunks,
                                candidate.schedule);
  if (!candidate.error.empty())
    llvm::outs() << candidate.error << "\n";
  else
    llvm::outs() << llvm::formatv("{0,12:f4} {1,6:f1} % {2,10:f2} {3,10}\n",
                                  candidate.seconds * 1e3, 100 * candidate.bubble,
                                  candidate.peakBytes / 1e9, candidate.recomputedOps);
}

void PipelineSearch::print() const {
  llvm::outs() << llvm::formatv("{0,6} {1,12} {2,7}  {3,-16} {4,12} {5,8} {6,10} {7,10}\n",
                                "stages", "microbatches", "virtual", "schedule", "step ms",
                                "bubble", "memory GB", "recomputed");
  for (const plan::PipelineCandidate &candidate : candidates)
    if (!candidate.schedule.empty())
      printRow(candidate);
  printRefused(candidates);
  printPruned(candidates);
  const plan::PipelineCandidate &best = candidates.front();
  if (!best.error.empty())
    return;
  llvm::outs() << llvm::formatv(
      "best: --pipeline-stages={0} --micro-batches={1} --virtual-stages={2} "
      "--pipeline-schedule={3}",
      best.cut.stages, best.cut.microbatches, best.cut.chunks, best.schedule);
  if (best.cut.memory > 0)
    llvm::outs() << " --stage-memory=" << best.cut.memory;
  llvm::outs() << "\n";
}

json::Value PipelineSearch::toJson() const {
  json::Array rows;
  for (const plan::PipelineCandidate &candidate : candidates)
    rows.push_back(json::Object{{"pipeline_stages", candidate.cut.stages},
                                {"micro_batches", candidate.cut.microbatches},
                                {"virtual_stages", candidate.cut.chunks},
                                {"pipeline_schedule", candidate.schedule},
                                {"stage_memory", candidate.cut.memory},
                                {"seconds", candidate.seconds},
                                {"bound_seconds", candidate.bound},
                                {"bubble", candidate.bubble},
                                {"peak_bytes", candidate.peakBytes},
                                {"recomputed_ops", candidate.recomputedOps},
                                {"pruned", candidate.isPruned},
                                {"error", candidate.error}});
  return json::Object{{"candidates", std::move(rows)}};
}
