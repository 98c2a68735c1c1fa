// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds come from the model's graph on one rank. Cuts are compiled up to phase stages, each with
// an equal share of the time limit but at least 0.1 s. A compilation that fails gives a candidate
// with its error as the reason.
#include "compiler/search/PipelineSearch.h"

#include "compiler/PipelineShape.h"
#include "compiler/import/files/Locations.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/choice/PlanShape.h"
#include "compiler/search/Choices.h"
#include "dialects/pipe/Constraints.h"
#include "dialects/pipe/Stages.h"
#include "passes/solve/order/Schedule.h"
#include "runtime/machine/MemoryBudget.h"

using namespace pcc;
using namespace pcc::search;

std::vector<int> PipelineSearch::listStages() const {
  const abi::ParallelConfig &config = options.parallel;
  std::vector<int> counts;
  for (int stages = 1; stages <= std::min(config.device_num(), plan::maxStages); ++stages)
    if (config.device_num() % stages == 0 && (!fixed.stages || stages == config.pipeline_stages()))
      counts.push_back(stages);
  return counts;
}

/// Returns schedules and memory limit, which are the same for all numbers of stages.
plan::PipelineSpace PipelineSearch::makeSpace() const {
  const abi::ParallelConfig &config = options.parallel;
  plan::PipelineSpace space;
  if (fixed.schedule)
    space.schedules = {getScheduleName(config)};
  else
    for (const order::Schedule &schedule : order::listSchedules())
      space.schedules.emplace_back(schedule.name);
  space.memoryLimit = machine::memoryBudget(config, *options.cluster);
  return space;
}

std::vector<plan::PipelineCut> PipelineSearch::listCuts(plan::PipelineSpace space,
                                                        const plan::PipelineBounds &bounds) const {
  const abi::ParallelConfig &config = options.parallel;
  std::vector<plan::PipelineCut> cuts;
  for (int stages : listStages()) {
    space.stages = {stages};
    space.microbatches = {config.micro_batches()};
    if (!fixed.microbatches)
      space.microbatches = bounds.listMicrobatches(config.interleave_num(), stages, limits);
    space.chunks = fixed.virtualStages ? std::vector<int>{config.virtual_stages()}
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
  // The schedule decides how many microbatches the stages must hold. If none is fixed, it is the
  // last one that fits: 1f1b holds fewer than gpipe, and what fits zb-h2 fits zb-h1, too.
  auto fits = [&](const order::Schedule &schedule) {
    return schedule.placement == cut.placement && schedule.splitsBackward == cut.splitsBackward &&
           schedule.findViolation(cut.getShape()).empty();
  };
  const order::Schedule *given =
      fixed.schedule ? order::findSchedule(getScheduleName(config)) : nullptr;
  if (!given || !fits(*given))
    for (const order::Schedule &schedule : order::listSchedules())
      if (fits(schedule))
        setSchedule(config, schedule.name);
  if (cut.memory > 0)
    own.stageMemory = cut.memory;
  config.set_time_limit(std::max(config.time_limit() / double(numCuts), 0.1));
  return own;
}

/// Counts the constraints of `module` that ask stages to recompute ops.
static int64_t countRecomputed(mlir::ModuleOp module) {
  auto constraints = module->getAttrOfType<mlir::ArrayAttr>(pipe::constraintsAttrName);
  return constraints
             ? llvm::count_if(constraints,
                              [](mlir::Attribute entry) {
                                auto constraint = mlir::dyn_cast<mlir::DictionaryAttr>(entry);
                                return constraint && constraint.contains("recompute");
                              })
             : 0;
}

/// Compiles one candidate. Diagnostics become the reason why it is invalid.
plan::CompiledCut PipelineSearch::compile(const plan::PipelineCut &cut) {
  import::FirstError error(model.getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = model.clone();
  CompileOptions own = makeOptions(cut);
  int64_t recomputed = 0;
  own.observe = [&](CompilePhase phase, mlir::ModuleOp current) {
    if (phase == CompilePhase::Grad)
      recomputed = countRecomputed(current);
    return mlir::success();
  };
  if (mlir::failed(runPhases(*module, own, CompilePhase::Stages))) {
    exceedsMemory |= (*module)->hasAttr(plan::infeasibleAttrName);
    return {{}, error.describe()};
  }
  return {
      plan::estimatePipelineCost(*pipe::listPrograms(*module), cut.getShape(), *options.cluster),
      "", recomputed};
}

mlir::LogicalResult PipelineSearch::run() {
  if (mlir::failed(resolveChoices(model, options)))
    return mlir::failure();
  mlir::OwningOpRef<mlir::ModuleOp> simplified = model.clone();
  if (mlir::failed(runPhases(*simplified, getSingleRankOptions(options), CompilePhase::Graph)))
    return mlir::failure();
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
      [&](const plan::PipelineCut &cut) { return compile(cut); });
  return mlir::success();
}

bool PipelineSearch::isInfeasible() const {
  const plan::PipelineCandidate &best = candidates.front();
  return !best.error.empty() && (exceedsMemory || !best.schedule.empty());
}

CompileOptions PipelineSearch::getBest() const {
  CompileOptions best = makeOptions(candidates.front().cut);
  setSchedule(best.parallel, candidates.front().schedule);
  return best;
}
