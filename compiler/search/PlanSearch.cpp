// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shape promises its estimate, times what shapes like it took of theirs, with the recomputation
// that it then needs. A plan that does not fit promises its own seconds, with the recomputation
// that it needs.
#include "compiler/search/PlanSearch.h"

#include "compiler/PipelineShape.h"
#include "compiler/plan/choice/TensorParallel.h"
#include "compiler/search/CompilationWork.h"
#include "dialects/dist/Dist.h"
#include "passes/solve/order/Schedule.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/MemoryBudget.h"

using namespace mlir;

namespace pcc::search {
namespace {

/// Seconds for the search of one shape's shardings, and the share of the whole time limit that it
/// may take.
constexpr double maxShardingSeconds = 10, maxShardingShare = 0.1;

/// Factor by which the clock may exceed the seconds of such a search, beside other threads.
constexpr double slowdown = 5;

/// Factor by which a compilation takes longer if others run beside it, in the same caches and with
/// the same allocator.
constexpr double slownessBesideOthers = 1.35;

/// Seconds to estimate a shape.
constexpr double secondsPerShape = 1e-4;

} // namespace

/// Keeps a compilation within the time limit of a search.
class PlanSearch::Pace : public CompilationPace {
public:
  Pace(PlanSearch &search, VirtualWorkers::Clock &clock) : search(search), clock(clock) {}

  void advance(double seconds, bool isCutOff) override {
    if (isCutOff)
      search.isCutOff = true;
    clock.advance(search.limits.threads > 1 ? slownessBesideOthers * seconds : seconds);
  }
  bool isOver(bool hasPlan) override { return search.isOver(clock, hasPlan); }

private:
  PlanSearch &search;
  VirtualWorkers::Clock &clock;
};

PlanSearch::PlanSearch(ModuleOp model, CompileOptions given, PlanSearchOptions limits)
    : model(model), options(std::move(given)), limits(std::move(limits)),
      givenLimit(options.parallel.memory_limit()) {
  options.isForCluster = true;
  options.searchSlowdown = slowdown * this->limits.slowdown;
  if (!this->model.getContext()->isMultithreadingEnabled())
    this->limits.threads = 1; // the context takes no locks
  // Other threads have plans of their own. The work of a search by several threads depends on their
  // speed.
  options.searchThreads = 1;
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

PlanSearch::PlanSearch(const PlanSearch &earlier, abi::Cluster cluster, PlanSearchOptions limits)
    : model(earlier.model), options(earlier.options), limits(std::move(limits)),
      givenLimit(earlier.givenLimit), earlier(&earlier) {
  assert(earlier.limits.keepsPrograms && "nothing to begin with");
  options.cluster = std::move(cluster);
  options.parallel.set_memory_limit(givenLimit);
}

double PlanSearch::getElapsed() const {
  auto now = end.value_or(std::chrono::steady_clock::now());
  return std::chrono::duration<double>(now - begin).count();
}

LogicalResult PlanSearch::prepare() {
  if (llvm::Error error = completeTraining(options))
    return model.emitError() << llvm::toString(std::move(error));
  memory = machine::memoryBudget(options.parallel, *options.cluster);
  options.parallel.set_memory_limit(memory);
  graph = model.clone();
  CompileOptions single = getSingleRankOptions(options);
  countWork(single, [this](double seconds, bool) { prepared += seconds; });
  if (failed(runPhases(*graph, single, CompilePhase::Graph)))
    return failure();
  compiler.emplace(model, *graph, options,
                   std::min(maxShardingSeconds, maxShardingShare * limits.seconds));
  if (limits.keepsPrograms)
    compiler->keepPrograms();
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
  space.cuts = plan::ParameterCuts(*graph);
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
  return longest[getShape(entry).isSearched][entry.recomputes];
}

/// An entry takes no longer than those of its kind so far. The first ones of a kind are expected to
/// take a multiple of a plain grid.
double PlanSearch::getExpected(const Entry &entry) {
  constexpr double searchedPerGrid = 5, recomputedPerPlain = 4;
  bool isSearched = getShape(entry).isSearched;
  double expected = getLongest(entry);
  if (expected == 0 && entry.recomputes)
    expected = recomputedPerPlain * longest[isSearched][0];
  if (expected == 0 && isSearched)
    expected = searchedPerGrid * longest[0][0];
  return expected;
}

/// Returns whether the entry will be done in time. Without a plan that fits, the search for the
/// fastest one goes on for a multiple of the limit, unless nothing can be compiled.
bool PlanSearch::isInTime(const Entry &entry) {
  constexpr double withoutPlan = 4;
  bool goesOn = limits.wantsFrontier ? candidates.empty() : !getBest() && getFailure().empty();
  return (goesOn && endsBefore(withoutPlan * limits.seconds, 0)) ||
         endsBefore(limits.seconds, getExpected(entry));
}

bool PlanSearch::endsBefore(double limit, double seconds) {
  if (workers->getTime() + seconds > limit)
    return false;
  if (getClock() + seconds <= limit)
    return true;
  isCutOff = true;
  return false;
}

bool PlanSearch::isOver(VirtualWorkers::Clock &clock, bool hasPlan) {
  bool isLate = clock.getTime() >= limits.seconds;
  if (!isLate && getClock() < limits.seconds)
    return false;
  if (isLate) {
    if (!hasPlan)
      clock.lookAtTime([&] { hasPlan = getBest(); });
    return hasPlan;
  }
  std::lock_guard<std::mutex> lock(workers->getMutex());
  hasPlan |= getBest() != nullptr;
  isCutOff = isCutOff || hasPlan;
  return hasPlan;
}

void PlanSearch::push(Entry entry) {
  isQueued[entry.number] = true;
  queue.push_back(entry);
}

PlanSearch::Calibration &PlanSearch::getCalibration(const Entry &entry) {
  return calibrations[getShape(entry).isSearched][getShape(entry).stages > 1];
}

plan::FittedEstimate PlanSearch::getPromise(const Entry &entry) {
  const plan::PlanEstimate &estimate = estimates[entry.number];
  if (entry.recomputes) {
    const PlanCandidate &plain = *find(entry.number);
    double peak = double(plain.peakBytes);
    double least = estimate.bytes > 0 ? estimate.minBytes * peak / estimate.bytes : peak;
    return plan::fitEstimate({plain.seconds, peak, least}, memory);
  }
  Factors factors = entry.factors.value_or(getCalibration(entry).getMean());
  return plan::fitEstimate(estimate, memory, factors.seconds, factors.bytes);
}

std::optional<PlanSearch::Entry> PlanSearch::pop() {
  // Searched shardings wait until a grid fits, or until grids have taken a quarter of the time.
  bool prefersSearched =
      spent[1] < spent[0] && (getBest() || spent[0] >= limits.threads * limits.seconds / 4);
  // A plan that will fit goes first as long as none does: recomputation promises more than
  // estimates.
  auto rank = [&](const Entry &entry) {
    bool isFirstPlan = entry.recomputes && !getBest() && getPromise(entry).excess == 0;
    return std::tuple(!isFirstPlan, getShape(entry).isSearched != prefersSearched, entry.front,
                      getPromise(entry), entry.number);
  };
  auto waits = [&](const Entry &entry) {
    return !searching.empty() && searching.contains(compiler->getSearchKey(getShape(entry)));
  };
  auto next = queue.end();
  for (auto entry = queue.begin(); entry != queue.end(); ++entry)
    if (!waits(*entry) && (next == queue.end() || rank(*entry) < rank(*next)))
      next = entry;
  if (next == queue.end())
    return std::nullopt;
  Entry entry = *next;
  *next = queue.back();
  queue.pop_back();
  return entry;
}

/// A search for the fastest plan begins with the best shape of each grid by the estimates. A
/// search for a frontier queues all shapes, by their fronts, and in a front the fastest first. A
/// search that goes on from another one queues what that one had not compiled.
void PlanSearch::pushShapes() {
  plan::PlanEstimator estimator(*graph, *bounds, *options.cluster, space, memory);
  shapes = plan::listPlanShapes(space);
  isQueued.resize(shapes.size());
  bound = std::numeric_limits<double>::infinity();
  for (const plan::PlanShape &shape : shapes) {
    estimates.push_back(estimator.estimate(shape));
    bound = std::min(bound, boundOf(shape));
  }
  prepared += secondsPerShape * double(shapes.size());
  std::vector<plan::FittedEstimate> fitted;
  for (const plan::PlanEstimate &estimate : estimates)
    fitted.push_back(plan::fitEstimate(estimate, memory));
  if (limits.wantsFrontier) {
    for (auto [i, front] : llvm::enumerate(plan::rankFronts(fitted)))
      push({i, /*recomputes=*/false, front, Factors()});
    return;
  }
  if (earlier)
    takeOver();
  for (size_t first = 0, end = 0; first < shapes.size(); first = end) {
    size_t best = first;
    for (end = first; end < shapes.size() && shapes[end].isSameGrid(shapes[first]); ++end)
      if (fitted[end] < fitted[best])
        best = end;
    if (!isQueued[best])
      push({best});
  }
}

void PlanSearch::takeOver() {
  llvm::copy(earlier->longest[0], longest[0]);
  llvm::copy(earlier->longest[1], longest[1]);
  for (const PlanCandidate &given : earlier->compiled) {
    size_t number = llvm::find(shapes, given.shape) - shapes.begin();
    if (number == shapes.size())
      continue; // its tensor parallel groups do not stay in a box of this machine
    PlanCandidate candidate = compiler->simulateAgain(given);
    if (given.program)
      prepared += secondsToSimulate(*given.program);
    if (candidate.isForLess && !candidate.fits(memory))
      continue; // the shape as it is shows what must be recomputed
    candidate.number = number;
    isQueued[number] = true;
    keep(std::move(candidate));
  }
  for (const PlanCandidate &candidate : candidates)
    pushFollowing({candidate.number}, candidate);
}

void PlanSearch::pushVariants(size_t number, Factors factors) {
  size_t first = number;
  while (first > 0 && shapes[first - 1].isSameGrid(shapes[number]))
    --first;
  for (size_t i = first; i < shapes.size() && shapes[i].isSameGrid(shapes[number]); ++i)
    if (!isQueued[i])
      push({i, /*recomputes=*/false, /*front=*/0, factors});
}

LogicalResult PlanSearch::run() {
  begin = std::chrono::steady_clock::now();
  if (failed(prepare()))
    return failure();
  pushShapes();
  workers.emplace(limits.threads, [this] { return choose(); });
  workers->run(prepared);
  end = std::chrono::steady_clock::now();
  llvm::stable_sort(candidates, [&](const PlanCandidate &a, const PlanCandidate &b) {
    auto rank = [&](const PlanCandidate &c) {
      return c.fits(memory) ? 0 : c.error.empty() ? 1 : 2;
    };
    if (rank(a) != rank(b))
      return rank(a) < rank(b);
    if (rank(a) == 0)
      return a.isBetter(b);
    return std::pair(a.peakBytes, a.number) < std::pair(b.peakBytes, b.number);
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
  if (candidates.empty() ||
      llvm::any_of(candidates, [](const PlanCandidate &c) { return c.error.empty(); }))
    return "";
  auto isListedBefore = [](const PlanCandidate &a, const PlanCandidate &b) {
    return a.number < b.number;
  };
  return llvm::min_element(candidates, isListedBefore)->error;
}

/// Returns whether the entry cannot win.
bool PlanSearch::isPruned(const Entry &entry) {
  const PlanCandidate *best = getBest();
  if (!best || limits.wantsFrontier)
    return false;
  return boundOf(getShape(entry)) >= best->seconds ||
         (entry.recomputes && find(entry.number)->seconds >= best->seconds);
}

bool PlanSearch::prune(const Entry &entry) {
  if (!isPruned(entry))
    return false;
  numPruned += !entry.recomputes;
  pushVariants(entry.number, getCalibration(entry).getMean()); // with other bounds
  return true;
}

std::optional<VirtualWorkers::Job> PlanSearch::choose() {
  while (std::optional<Entry> entry = pop())
    if (isInTime(*entry) && !prune(*entry))
      return makeJob(*entry);
  return std::nullopt;
}

VirtualWorkers::Job PlanSearch::makeJob(const Entry &entry) {
  std::optional<PlanCandidate> plain;
  if (entry.recomputes)
    plain = *find(entry.number);
  double begin = workers->getTime(), expected = getExpected(entry);
  spent[getShape(entry).isSearched] += expected;
  std::string key = compiler->getSearchKey(getShape(entry));
  if (!key.empty())
    searching.insert(key);
  auto candidate = std::make_shared<PlanCandidate>();
  return {[=, this](VirtualWorkers::Clock &clock) {
            Pace pace(*this, clock);
            *candidate = plain ? compiler->compileForLess(*plain, pace)
                               : compiler->compile(getShape(entry), pace);
            candidate->isForLess = plain && candidate->program != plain->program;
          },
          [=, this] {
            searching.erase(key);
            if (!candidate->isStopped)
              deliver(entry, std::move(*candidate), workers->getTime() - begin, expected);
          }};
}

void PlanSearch::deliver(const Entry &entry, PlanCandidate candidate, double seconds,
                         double expected) {
  getLongest(entry) = std::max(getLongest(entry), seconds);
  spent[candidate.shape.isSearched] += seconds - expected;
  candidate.number = entry.number;
  if (limits.keepsPrograms && (!entry.recomputes || candidate.isForLess))
    compiled.push_back(candidate);
  pushFollowing(entry, candidate);
  keep(std::move(candidate));
  if (limits.progress)
    limits.progress(*this);
}

void PlanSearch::pushFollowing(const Entry &entry, const PlanCandidate &candidate) {
  if (entry.recomputes)
    return;
  bool isCompiled = candidate.error.empty();
  if (isCompiled && candidate.peakBytes > memory)
    push({entry.number, /*recomputes=*/true, entry.front});
  constexpr double afterFailure = 2; // what fails for one shape of a grid may fail for others
  Calibration &calibration = getCalibration(entry);
  Factors factors = calibration.getMean();
  const plan::PlanEstimate &plain = estimates[entry.number];
  bool hasRecomputed = isCompiled && candidate.peakBytes <= memory; // if it had to
  plan::FittedEstimate estimate = hasRecomputed
                                      ? plan::fitEstimate(plain, memory)
                                      : plan::FittedEstimate{0, plain.seconds, plain.bytes};
  if (!isCompiled) {
    factors.seconds *= afterFailure;
  } else if (estimate.seconds > 0 && estimate.bytes > 0) {
    factors = {candidate.seconds / estimate.seconds, double(candidate.peakBytes) / estimate.bytes};
    calibration.sum.seconds += factors.seconds;
    calibration.sum.bytes += factors.bytes;
    ++calibration.count;
  }
  pushVariants(entry.number, factors);
}

PlanCandidate *PlanSearch::find(size_t number) {
  auto found = llvm::find_if(
      candidates, [&](const PlanCandidate &candidate) { return candidate.number == number; });
  return found == candidates.end() ? nullptr : &*found;
}

/// Keeps the better one of two candidates of the same shape.
/// Whether a candidate takes the place of another one of its shape: it fits and is better, or both
/// do not fit and it needs less memory.
static bool replaces(const PlanCandidate &candidate, const PlanCandidate &other, int64_t memory) {
  if (!candidate.fits(memory))
    return candidate.error.empty() && candidate.peakBytes < other.peakBytes;
  return !other.fits(memory) || candidate.isBetter(other);
}

void PlanSearch::keep(PlanCandidate candidate) {
  PlanCandidate *same = find(candidate.number);
  if (!same)
    candidates.push_back(std::move(candidate));
  else if (replaces(candidate, *same, memory))
    *same = std::move(candidate);
}

} // namespace pcc::search
