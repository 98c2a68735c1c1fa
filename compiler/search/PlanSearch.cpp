// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan without recomputation promises its own seconds to the one with recomputation, since
// recomputing takes time. Another schedule promises the step without its waiting.
#include "compiler/search/PlanSearch.h"

#include "compiler/PipelineShape.h"
#include "compiler/import/files/Locations.h"
#include "compiler/plan/choice/RecomputeChoice.h"
#include "compiler/plan/choice/TensorParallel.h"
#include "compiler/search/SimulatedProgram.h"
#include "dialects/dist/Dist.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/MemoryBudget.h"

using namespace mlir;

namespace pcc::search {
namespace {

/// Compilations per shape for stages that are cut for less memory.
constexpr int maxTighter = 4;
constexpr double tighterShare = 0.8;
/// Seconds for the search of one shape's shardings, and the share of the whole time limit that it
/// may take.
constexpr double maxShardingSeconds = 10, maxShardingShare = 0.1;

/// Describes the ranks of the class that works longest.
void describeStep(const simulate::Simulation &step, PlanCandidate &candidate) {
  const simulate::Seconds &seconds = step.longest().seconds;
  candidate.computing = seconds.compute / step.seconds;
  candidate.communicating = (seconds.communication + seconds.collective) / step.seconds;
  candidate.waiting =
      (seconds.warmUp + seconds.receive + seconds.send + seconds.drain) / step.seconds;
}

} // namespace

PlanSearch::PlanSearch(ModuleOp model, CompileOptions given, PlanSearchOptions limits)
    : model(model), options(std::move(given)), limits(std::move(limits)) {
  options.isForCluster = true;
  // All candidates begin with these values, whatever the user's options are.
  options.parallel.set_pipeline_stages(1);
  options.parallel.set_virtual_stages(1);
  options.parallel.set_pipeline_schedule(abi::SCHEDULE_1F1B);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  options.parallel.set_enable_parallel_optimizer(false);
  options.parallel.set_auto_parallel_search_mode(abi::DYNAMIC_PROGRAMMING);
  options.parallel.clear_strategy_ckpt_load_file();
}

double PlanSearch::getElapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

LogicalResult PlanSearch::prepare() {
  if (llvm::Error error = completeTraining(options))
    return model.emitError() << llvm::toString(std::move(error));
  memory = machine::memoryBudget(options.parallel, *options.cluster);
  options.parallel.set_memory_limit(memory);
  graph = model.clone();
  if (failed(runPhases(*graph, getSingleRankOptions(options), CompilePhase::Graph)))
    return failure();
  plan::LayerCostOptions costs;
  costs.training.loss = options.training.loss;
  costs.training.optimizer = options.training.optimizer;
  costs.cluster = *options.cluster;
  bounds.emplace(*graph, options.parallel.device_num(), std::move(costs));
  space.devices = options.parallel.device_num();
  space.devicesOfBox = std::min<int64_t>(space.devices, options.cluster->level(0).count());
  space.batch = std::max<int64_t>(bounds->getBatch(), 1);
  space.layers = std::max<int64_t>(bounds->getLayers(), 1);
  space.trains = options.trains();
  space.hasTensorParallel =
      !model->hasAttr(dist::meshAttrName) && plan::splitMatmuls(*graph, 1, 2).constraint_size() > 0;
  return success();
}

double PlanSearch::boundOf(const plan::PlanShape &shape) {
  plan::PipelineCut cut;
  cut.stages = shape.stages;
  cut.microbatches = shape.microbatches;
  cut.chunks = shape.virtualStages;
  const order::Schedule *schedule = order::findSchedule(shape.schedule);
  cut.splitsBackward = schedule && schedule->splitsBackward;
  return bounds->boundSeconds(cut);
}

double &PlanSearch::getLongest(const Entry &entry) {
  return longest[entry.shape.isSearched][entry.recomputes];
}

/// Returns whether the entry will be done in time, if it takes no longer than those of its kind so
/// far. The first searched shardings are expected to take a multiple of a grid. Without a plan that
/// fits, the search for the fastest one goes on.
bool PlanSearch::isInTime(const Entry &entry) {
  constexpr double searchedPerGrid = 5;
  bool goesOn = limits.wantsFrontier ? candidates.empty() : !getBest();
  double expected = getLongest(entry);
  if (expected == 0 && entry.shape.isSearched)
    expected = searchedPerGrid * longest[0][0];
  return goesOn || getElapsed() + expected <= limits.seconds;
}

void PlanSearch::push(plan::PlanShape shape, double promised, bool recomputes) {
  bool isSearched = shape.isSearched;
  queues[isSearched].push({promised, numPushed++, std::move(shape), recomputes});
}

std::optional<PlanSearch::Entry> PlanSearch::pop() {
  // Searched shardings wait until a grid fits, or has had its share of the time.
  bool isTurn = spent[1] < spent[0] && (getBest() || spent[0] >= limits.seconds / 2);
  bool isSearched = queues[0].empty() || (!queues[1].empty() && isTurn);
  if (queues[isSearched].empty())
    return std::nullopt;
  Entry entry = queues[isSearched].top();
  queues[isSearched].pop();
  return entry;
}

/// Queues all shapes, and sets the bound of the space.
void PlanSearch::pushShapes() {
  plan::PlanEstimator estimator(*graph, *bounds, *options.cluster, space, memory);
  std::vector<plan::PlanShape> shapes = plan::listPlanShapes(space);
  std::vector<plan::PlanEstimate> estimates;
  bound = std::numeric_limits<double>::infinity();
  for (const plan::PlanShape &shape : shapes) {
    estimates.push_back(estimator.estimate(shape));
    bound = std::min(bound, boundOf(shape));
  }
  std::vector<int64_t> fronts;
  if (limits.wantsFrontier)
    fronts = plan::rankFronts(estimates);
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    double seconds = estimates[i].seconds;
    // Within a front the fastest comes first.
    push(std::move(shape),
         limits.wantsFrontier ? double(fronts[i]) + seconds / (1 + seconds) : seconds);
  }
}

LogicalResult PlanSearch::run() {
  begin = std::chrono::steady_clock::now();
  if (failed(prepare()))
    return failure();
  pushShapes();
  while (std::optional<Entry> entry = pop()) {
    if (!isInTime(*entry)) {
      ++numUntried;
      continue;
    }
    double start = getElapsed();
    tryEntry(*entry);
    double seconds = getElapsed() - start;
    getLongest(*entry) = std::max(getLongest(*entry), seconds);
    spent[entry->shape.isSearched] += seconds;
    if (limits.progress)
      limits.progress(*this);
  }
  llvm::stable_sort(candidates, [&](const PlanCandidate &a, const PlanCandidate &b) {
    auto rank = [&](const PlanCandidate &c) {
      return c.fits(memory) ? 0 : c.error.empty() ? 1 : 2;
    };
    if (rank(a) != rank(b))
      return rank(a) < rank(b);
    return rank(a) == 0 ? a.isBetter(b) : a.peakBytes < b.peakBytes;
  });
  return success();
}

const PlanCandidate *PlanSearch::getBest() const {
  const PlanCandidate *best = nullptr;
  for (const PlanCandidate &candidate : candidates)
    if (candidate.fits(memory) && (!best || candidate.isBetter(*best)))
      best = &candidate;
  return best;
}

llvm::StringRef PlanSearch::getFailure() const {
  bool hasFailed = !candidates.empty() && llvm::none_of(candidates, [](const PlanCandidate &c) {
    return c.error.empty();
  });
  return hasFailed ? llvm::StringRef(candidates.front().error) : "";
}

/// Returns whether the entry cannot win.
bool PlanSearch::isPruned(const Entry &entry) {
  const PlanCandidate *best = getBest();
  if (!best || limits.wantsFrontier)
    return false;
  return boundOf(entry.shape) >= best->seconds ||
         (entry.recomputes && entry.promised >= best->seconds);
}

void PlanSearch::tryEntry(const Entry &entry) {
  if (isPruned(entry)) {
    ++numPruned;
    return;
  }
  if (entry.recomputes) {
    keep(evaluateForLess(entry.shape), entry.number);
    return;
  }
  PlanCandidate candidate = evaluate(entry.shape);
  auto promise = [&](double seconds) { return limits.wantsFrontier ? entry.promised : seconds; };
  if (candidate.error.empty() && candidate.peakBytes > memory)
    push(entry.shape, promise(candidate.seconds), /*recomputes=*/true);
  if (candidate.error.empty() && entry.shape.stages > 1 && entry.shape.schedule == "1f1b" &&
      entry.shape.virtualStages == 1)
    for (plan::PlanShape &other : plan::listSchedules(entry.shape, space))
      push(std::move(other), promise(candidate.seconds * (1 - candidate.waiting)));
  keep(std::move(candidate), entry.number);
}

/// Keeps the better one of two candidates of the same shape.
void PlanSearch::keep(PlanCandidate candidate, size_t number) {
  candidate.number = number;
  auto same = llvm::find_if(
      candidates, [&](const PlanCandidate &other) { return other.shape == candidate.shape; });
  if (same == candidates.end())
    candidates.push_back(std::move(candidate));
  else if (candidate.fits(memory) ||
           (candidate.error.empty() && candidate.peakBytes < same->peakBytes))
    *same = std::move(candidate);
}

abi::Plan PlanSearch::makePlan(const plan::PlanShape &shape) const {
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
  config.set_time_limit(std::min(maxShardingSeconds, maxShardingShare * limits.seconds));
  if (shape.isSearched) {
    config.set_parallel_mode(abi::AUTO_PARALLEL);
  } else if (shape.tensorParallel > 1) {
    config.set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
    *plan.mutable_constraints() =
        plan::splitMatmuls(*graph, shape.getDataParallel(space.devices), shape.tensorParallel);
  } else {
    config.set_parallel_mode(space.devices > 1 ? abi::DATA_PARALLEL : abi::STAND_ALONE);
  }
  // Gradients of one device: data_parallel adds those of the ranks otherwise, and the other modes
  // would divide them once more.
  config.set_gradients_mean(config.parallel_mode() == abi::DATA_PARALLEL);
  config.set_loss_repeated_mean(true);
  return plan;
}

CompileOptions PlanSearch::makeOptions(const abi::Plan &plan) const {
  CompileOptions own = makeSimulationOptions(options);
  applyPlan(plan, own);
  llvm::cantFail(completeTraining(own)); // only numbers differ from options that `prepare` checked
  return own;
}

std::string PlanSearch::searchShardings(abi::Plan &plan) {
  import::FirstError error(model.getContext());
  OwningOpRef<ModuleOp> searched = model.clone();
  CompileOptions own = makeOptions(plan);
  own.receiveStrategy = [&](abi::Strategy found) { *plan.mutable_strategy() = std::move(found); };
  if (failed(runPhases(*searched, own, CompilePhase::Strategy)))
    return error.describe();
  // The strategy determines the shardings, so propagation completes them.
  plan.mutable_parallel()->set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
  return "";
}

PlanCandidate PlanSearch::evaluate(abi::Plan plan, const plan::PlanShape &shape) {
  PlanCandidate candidate;
  candidate.shape = shape;
  if (shape.isSearched)
    if (candidate.error = searchShardings(plan); !candidate.error.empty())
      return candidate;
  return compile(std::move(plan), shape);
}

PlanCandidate PlanSearch::compile(abi::Plan plan, const plan::PlanShape &shape) {
  PlanCandidate candidate;
  candidate.shape = shape;
  CompileOptions own = makeOptions(plan);
  own.listsRecomputeParts = shape.stages == 1;
  SimulatedProgram simulated = simulateProgram(model, own);
  candidate.error = simulated.error;
  candidate.partSeconds = std::move(simulated.partSeconds);
  if (simulated.error.empty()) {
    candidate.seconds = simulated.step.seconds;
    candidate.peakBytes = simulated.getPeakBytes();
    describeStep(simulated.step, candidate);
    candidate.utilization = simulated.program.peak_seconds() / candidate.seconds;
    plan.set_step_seconds(candidate.seconds);
    plan.set_peak_bytes(candidate.peakBytes);
    candidate.plan = std::move(plan);
  }
  return candidate;
}

PlanCandidate PlanSearch::recompute(const PlanCandidate &plain) {
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
      describe(plain), plain.partSeconds, memory,
      [&](ArrayRef<int64_t> parts) {
        abi::Plan plan = plain.plan;
        plan.mutable_recomputed_part()->Assign(parts.begin(), parts.end());
        compiled.push_back(compile(std::move(plan), plain.shape));
        return describe(compiled.back());
      },
      /*leftOut=*/0);
  for (PlanCandidate &candidate : compiled)
    if (llvm::equal(candidate.plan.recomputed_part(), chosen.parts))
      return std::move(candidate);
  return plain;
}

PlanCandidate PlanSearch::evaluateForLess(const plan::PlanShape &shape) {
  if (shape.stages == 1)
    return recompute(*llvm::find_if(
        candidates, [&](const PlanCandidate &plain) { return plain.shape == shape; }));
  abi::Plan plan = makePlan(shape);
  PlanCandidate tighter;
  tighter.shape = shape;
  tighter.error = "the time limit left no time to cut its stages for less memory";
  for (int count = 0; count < maxTighter && !(isOver() && getBest()); ++count) {
    plan.mutable_parallel()->set_memory_limit(
        int64_t(double(plan.parallel().memory_limit()) * tighterShare));
    tighter = evaluate(plan, shape);
    if (!tighter.error.empty() || tighter.fits(memory))
      break;
  }
  return tighter;
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
