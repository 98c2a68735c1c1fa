// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each compilation works on its own copy of the model. Only the searched shardings are shared.
#include "compiler/search/PlanCompiler.h"

#include "compiler/PipelineShape.h"
#include "compiler/StrategyPasses.h"
#include "compiler/import/files/Locations.h"
#include "compiler/plan/choice/CompiledChoices.h"
#include "compiler/plan/choice/TensorParallel.h"
#include "compiler/search/CompilationWork.h"
#include "compiler/search/SimulatedProgram.h"

using namespace mlir;

namespace pcc::search {
namespace {

/// Compilations per shape for stages that are cut for less memory.
constexpr int maxTighter = 4;
constexpr double tighterShare = 0.8;

/// Sets what a simulated step says about a candidate. Shares of the step are those of the ranks of
/// the class that works longest.
void describeStep(const simulate::Simulation &step, PlanCandidate &candidate) {
  candidate.seconds = step.seconds;
  candidate.peakBytes = getPeakBytes(step);
  const simulate::Seconds &seconds = step.longest().seconds;
  candidate.computing = seconds.compute / step.seconds;
  candidate.communicating = (seconds.communication + seconds.collective) / step.seconds;
  candidate.waiting =
      (seconds.warmUp + seconds.receive + seconds.send + seconds.drain) / step.seconds;
  candidate.plan.set_step_seconds(candidate.seconds);
  candidate.plan.set_peak_bytes(candidate.peakBytes);
}

} // namespace

PlanCompiler::PlanCompiler(ModuleOp model, ModuleOp graph, const CompileOptions &options,
                           double searchSeconds)
    : model(model), graph(graph), options(options), searchSeconds(searchSeconds) {}

abi::Plan PlanCompiler::makePlan(const plan::PlanShape &shape) const {
  int64_t devices = options.parallel.device_num();
  abi::Plan plan;
  abi::ParallelConfig &config = *plan.mutable_parallel();
  config = options.parallel;
  config.set_pipeline_stages(shape.stages);
  config.set_virtual_stages(shape.virtualStages);
  setSchedule(config, shape.schedule);
  config.set_micro_batches(int(shape.microbatches));
  if (shape.optimizerLevel > 0) {
    config.set_enable_parallel_optimizer(true);
    config.set_parallel_optimizer_level(shape.optimizerLevel);
  }
  config.set_time_limit(searchSeconds);
  if (shape.isSearched) {
    config.set_parallel_mode(abi::AUTO_PARALLEL);
  } else if (shape.tensorParallel > 1) {
    config.set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
    *plan.mutable_constraints() =
        plan::splitMatmuls(graph, shape.getDataParallel(devices), shape.tensorParallel);
  } else {
    config.set_parallel_mode(devices > 1 ? abi::DATA_PARALLEL : abi::STAND_ALONE);
  }
  // Gradients of one device: data_parallel adds those of the ranks otherwise, and the other modes
  // would divide them once more.
  config.set_gradients_mean(config.parallel_mode() == abi::DATA_PARALLEL);
  config.set_loss_repeated_mean(true);
  return plan;
}

CompileOptions PlanCompiler::makeOptions(const abi::Plan &plan) const {
  CompileOptions own = makeSimulationOptions(options);
  applyPlan(plan, own);
  llvm::cantFail(completeTraining(own)); // only numbers differ from complete options
  return own;
}

void PlanCompiler::keepPace(CompileOptions &own, CompilationPace &pace, bool &isStopped,
                            bool hasPlan) {
  countWork(own, [&pace](double seconds, bool isCutOff) { pace.advance(seconds, isCutOff); });
  own.observe = [&pace, &isStopped, hasPlan](CompilePhase, ModuleOp) {
    isStopped |= pace.isOver(hasPlan);
    return success(!isStopped);
  };
}

const PlanCompiler::Search &PlanCompiler::searchShardings(const abi::ParallelConfig &config,
                                                          CompilationPace &pace) const {
  Search *search = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    search = &searches[config.SerializeAsString()];
  }
  if (std::exchange(search->hasRun, true))
    return *search;
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> searched = model.clone();
  abi::Plan plan;
  *plan.mutable_parallel() = config;
  CompileOptions own = makeOptions(plan);
  own.receiveStrategy = [&](abi::Strategy found) { search->strategy = std::move(found); };
  keepPace(own, pace, search->isStopped);
  SearchTables tables; // only a search that returns its tables counts its work
  if (failed(runPhases(*searched, own, CompilePhase::Strategy, &tables)))
    search->error = error.describe();
  return *search;
}

PlanCandidate PlanCompiler::compileSearched(abi::Plan plan, const abi::ParallelConfig &search,
                                            const plan::PlanShape &shape,
                                            CompilationPace &pace) const {
  const Search &found = searchShardings(search, pace);
  if (!found.error.empty()) {
    PlanCandidate candidate;
    candidate.shape = shape;
    candidate.error = found.error;
    candidate.isStopped = found.isStopped;
    return candidate;
  }
  *plan.mutable_strategy() = found.strategy;
  // The strategy determines the shardings, so propagation completes them.
  plan.mutable_parallel()->set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
  return simulate(std::move(plan), shape, pace);
}

/// Returns the schedule under which shardings are searched for `config`. Schedules of the same
/// placement share a search, since the order of actions is not part of its costs.
static abi::PipelineSchedule getSearchSchedule(const abi::ParallelConfig &config) {
  if (getPipelineShape(config).placement == order::Placement::Vee)
    return abi::SCHEDULE_ZB_V;
  return config.virtual_stages() == 1 ? abi::SCHEDULE_1F1B : config.pipeline_schedule();
}

/// Returns the configuration under which shardings are searched first for `plan`.
static abi::ParallelConfig getSearchConfig(const abi::Plan &plan) {
  abi::ParallelConfig config = plan.parallel();
  config.set_pipeline_schedule(getSearchSchedule(config));
  return config;
}

std::string PlanCompiler::getSearchKey(const plan::PlanShape &shape) const {
  return shape.isSearched ? getSearchConfig(makePlan(shape)).SerializeAsString() : "";
}

PlanCandidate PlanCompiler::compile(abi::Plan plan, const plan::PlanShape &shape,
                                    CompilationPace &pace) const {
  if (!shape.isSearched)
    return simulate(std::move(plan), shape, pace);
  abi::ParallelConfig search = getSearchConfig(plan);
  PlanCandidate candidate = compileSearched(plan, search, shape, pace);
  if (candidate.error.empty() || candidate.isStopped ||
      search.pipeline_schedule() == plan.parallel().pipeline_schedule())
    return candidate;
  // This schedule may cut the stages elsewhere, and so copy other parameters.
  abi::ParallelConfig own = plan.parallel();
  return compileSearched(std::move(plan), own, shape, pace);
}

PlanCandidate PlanCompiler::simulate(abi::Plan plan, const plan::PlanShape &shape,
                                     CompilationPace &pace, bool hasPlan) const {
  PlanCandidate candidate;
  candidate.shape = shape;
  CompileOptions own = makeOptions(plan);
  own.listsRecomputeParts = shape.stages == 1;
  keepPace(own, pace, candidate.isStopped, hasPlan);
  SimulatedProgram simulated = simulateProgram(model, own);
  candidate.error = simulated.error;
  candidate.partSeconds = std::move(simulated.partSeconds);
  if (simulated.error.empty()) {
    pace.advance(secondsToSimulate(simulated.program), /*isCutOff=*/false);
    candidate.plan = std::move(plan);
    describeStep(simulated.step, candidate);
    candidate.utilization = simulated.program.peak_seconds() / candidate.seconds;
    if (keepsPrograms)
      candidate.program = std::make_shared<const abi::Executable>(std::move(simulated.program));
  }
  return candidate;
}

PlanCandidate PlanCompiler::simulateAgain(PlanCandidate candidate) const {
  if (!candidate.error.empty())
    return candidate;
  abi::Expected<simulate::Simulation> step =
      simulate::simulate(*candidate.program, *options.cluster);
  if (!step)
    candidate.error = step.status().message();
  else
    describeStep(*step, candidate);
  candidate.utilization = 0;
  if (!candidate.isForLess)
    candidate.plan.mutable_parallel()->set_memory_limit(options.parallel.memory_limit());
  return candidate;
}

PlanCandidate PlanCompiler::recompute(const PlanCandidate &plain, CompilationPace &pace) const {
  std::vector<PlanCandidate> compiled;
  auto describe = [](const PlanCandidate &candidate) {
    plan::RecomputeCandidate cost;
    cost.parts.assign(candidate.plan.recomputed_part().begin(),
                      candidate.plan.recomputed_part().end());
    cost.seconds = candidate.seconds;
    cost.peakBytes = candidate.peakBytes;
    cost.error = candidate.error;
    return cost;
  };
  plan::RecomputeCandidate chosen = plan::chooseRecomputed(
      describe(plain), plain.partSeconds, options.parallel.memory_limit(),
      [&](ArrayRef<int64_t> parts) {
        int64_t memory = options.parallel.memory_limit();
        bool hasPlan = llvm::any_of(
            compiled, [&](const PlanCandidate &candidate) { return candidate.fits(memory); });
        if (pace.isOver(hasPlan)) {
          plan::RecomputeCandidate none;
          none.parts.assign(parts.begin(), parts.end());
          none.error = "the time limit left no time to compile it";
          return none;
        }
        abi::Plan plan = plain.plan;
        plan.mutable_recomputed_part()->Assign(parts.begin(), parts.end());
        compiled.push_back(simulate(std::move(plan), plain.shape, pace, hasPlan));
        return describe(compiled.back());
      },
      /*leftOut=*/0);
  for (PlanCandidate &candidate : compiled)
    if (llvm::equal(candidate.plan.recomputed_part(), chosen.parts))
      return std::move(candidate);
  return plain;
}

PlanCandidate PlanCompiler::cutForLess(const plan::PlanShape &shape, CompilationPace &pace) const {
  abi::Plan plan = makePlan(shape);
  PlanCandidate tighter;
  tighter.shape = shape;
  tighter.error = "the time limit left no time to cut its stages for less memory";
  for (int count = 0; count < maxTighter && !pace.isOver(/*hasPlan=*/false); ++count) {
    plan.mutable_parallel()->set_memory_limit(
        int64_t(double(plan.parallel().memory_limit()) * tighterShare));
    tighter = compile(plan, shape, pace);
    if (!tighter.error.empty() || tighter.fits(options.parallel.memory_limit()))
      break;
  }
  return tighter;
}

PlanCandidate PlanCompiler::compileForLess(const PlanCandidate &plain,
                                           CompilationPace &pace) const {
  return plain.shape.stages == 1 ? recompute(plain, pace) : cutForLess(plain.shape, pace);
}

void applyPlan(const abi::Plan &plan, CompileOptions &options) {
  options.parallel = plan.parallel();
  options.recomputedParts.emplace(plan.recomputed_part().begin(), plan.recomputed_part().end());
  options.strategy.reset();
  if (plan.has_strategy())
    options.strategy = std::make_shared<abi::Strategy>(plan.strategy());
  options.constraints.reset();
  if (plan.has_constraints())
    options.constraints = std::make_shared<abi::Constraints>(plan.constraints());
}

} // namespace pcc::search
