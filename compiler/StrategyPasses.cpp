// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates ParallelConfig into the option structs of the strategy passes, and dispatches on the
// search mode. makeSearch and runSearch take the same options: one returns a pass, the other runs
// the search and returns its results.
#include "compiler/StrategyPasses.h"

#include "compiler/PipelineShape.h"
#include "compiler/plan/Passes.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/pipeline/Passes.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "runtime/machine/MemoryBudget.h"

using namespace mlir;
using namespace pcc;

/// Returns the options that the passes of all modes share.
template <typename Options> static Options getModeOptions(const abi::ParallelConfig &config) {
  Options options;
  options.deviceNum = config.device_num() / getPipelineShape(config).devices;
  options.gradientsMean = config.gradients_mean();
  options.fullBatch = config.full_batch();
  options.datasetStrategy = config.dataset_strategy();
  return options;
}

/// Returns the options that passes share in modes with constraints.
template <typename Options>
static Options getConstrainedOptions(const abi::ParallelConfig &config) {
  auto options = getModeOptions<Options>(config);
  if (config.has_loss_repeated_mean())
    options.lossRepeatedMean = config.loss_repeated_mean();
  return options;
}

static strategy::SearchAlgorithm getAlgorithm(const abi::ParallelConfig &config) {
  return config.auto_parallel_search_mode() == abi::BEST
             ? strategy::SearchAlgorithm::Best
             : strategy::SearchAlgorithm::DynamicProgramming;
}

/// Returns the bytes that a search may use on a rank. The search places the ops of all pipeline
/// stages on the ranks of one stage, so the limit is multiplied by the number of stages.
static int64_t getSearchedMemory(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  abi::Expected<abi::Cluster> cluster = options.cluster
                                            ? abi::Expected<abi::Cluster>(*options.cluster)
                                            : machine::parseCluster("", config.device_num());
  // The pass reports a wrong number of ranks.
  int64_t limit = cluster ? machine::memoryBudget(config, *cluster) : config.memory_limit();
  return limit * getPipelineShape(config).devices;
}

static std::unique_ptr<Pass> makeDataParallel(const CompileOptions &options) {
  return strategy::createStrategyDataParallel(
      getModeOptions<strategy::StrategyDataParallelOptions>(options.parallel));
}

static std::unique_ptr<Pass> makeSemiAuto(const CompileOptions &options) {
  return strategy::createStrategySemiAuto(
      getConstrainedOptions<strategy::StrategySemiAutoOptions>(options.parallel));
}

static strategy::StrategyRecursiveOptions getRecursiveOptions(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  auto cuts = getConstrainedOptions<strategy::StrategyRecursiveOptions>(config);
  cuts.improvement = config.cost_model() == abi::MODEL_MEMORY ? strategy::CostModel::Memory
                                                              : strategy::CostModel::Roofline;
  cuts.memoryLimit = getSearchedMemory(options);
  return cuts;
}

static strategy::StrategySearchByMemoryOptions getMemoryOptions(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  auto search = getConstrainedOptions<strategy::StrategySearchByMemoryOptions>(config);
  search.algorithm = getAlgorithm(config);
  search.timeLimit = config.time_limit();
  search.gap = options.searchGap;
  search.seed = options.searchSeed;
  search.threads = options.searchThreads;
  search.fullyUseDevices = config.fully_use_devices();
  search.elementwiseFollows = config.elementwise_op_strategy_follow();
  return search;
}

static plan::PlanAutoParallelOptions getRooflineOptions(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  strategy::SearchOptions shared = getSearchOptions(options);
  auto search = getConstrainedOptions<plan::PlanAutoParallelOptions>(config);
  search.algorithm = shared.algorithm;
  search.timeLimit = shared.solve.seconds;
  search.memoryLimit = shared.memoryLimit;
  search.gap = shared.solve.gap;
  search.seed = shared.solve.seed;
  search.threads = shared.solve.threads;
  search.constraintTimeLimit = options.constraintTimeLimit;
  return search;
}

strategy::SearchOptions pcc::getSearchOptions(const CompileOptions &options) {
  strategy::SearchOptions search;
  search.algorithm = getAlgorithm(options.parallel);
  search.memoryLimit = getSearchedMemory(options);
  search.solve.seconds = options.parallel.time_limit();
  search.solve.gap = options.searchGap;
  search.solve.seed = options.searchSeed;
  search.solve.threads = options.searchThreads;
  return search;
}

static std::unique_ptr<Pass> makeSearch(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  switch (config.auto_parallel_search_mode()) {
  case abi::SHARDING_PROPAGATION:
    return makeSemiAuto(options);
  case abi::RECURSIVE_PROGRAMMING:
    return strategy::createStrategyRecursive(getRecursiveOptions(options));
  default:
    if (config.cost_model() == abi::MODEL_MEMORY)
      return strategy::createStrategySearchByMemory(getMemoryOptions(options));
    return plan::createPlanAutoParallel(getRooflineOptions(options));
  }
}

/// Shards the optimizer over the ranks to which the parallel mode gave the same parameters.
static void addOptimizerSharding(OpPassManager &passes, const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  if (!options.trains())
    return;
  if (config.enable_parallel_optimizer()) {
    passes.addPass(strategy::createStrategySplitAxes({config.parallel_optimizer_threshold()}));
    passes.addPass(strategy::createStrategyShardOptimizer(
        {config.parallel_optimizer_level(), config.parallel_optimizer_threshold()}));
  }
  passes.addPass(strategy::createStrategyReportBytes());
}

void pcc::addShardingPasses(OpPassManager &passes, const CompileOptions &options) {
  switch (options.parallel.parallel_mode()) {
  case abi::DATA_PARALLEL:
  case abi::HYBRID_PARALLEL:
    passes.addPass(makeDataParallel(options));
    break;
  case abi::SEMI_AUTO_PARALLEL:
    passes.addPass(makeSemiAuto(options));
    break;
  case abi::AUTO_PARALLEL:
    passes.addPass(makeSearch(options));
    break;
  default:
    break;
  }
}

void pcc::addRefinementPasses(OpPassManager &passes, const CompileOptions &options) {
  if (options.parallel.parallel_mode() == abi::STAND_ALONE)
    return;
  if (options.parallel.parallel_mode() != abi::AUTO_PARALLEL) // a search weighs repeated work
    passes.addPass(strategy::createStrategyReportRepeated());
  passes.addPass(strategy::createStrategyKeepLayerwise());
  order::PipelineShape shape = getPipelineShape(options.parallel);
  if (shape.devices > 1)
    passes.addPass(strategy::createStrategySliceTransfers());
  addOptimizerSharding(passes, options);
  if (shape.devices > 1)
    passes.addPass(
        pipeline::createAlignSharedParameters({shape.devices, shape.chunks, shape.placement}));
}

bool pcc::searches(const CompileOptions &options) {
  return options.parallel.parallel_mode() == abi::AUTO_PARALLEL &&
         options.parallel.auto_parallel_search_mode() != abi::SHARDING_PROPAGATION;
}

/// Cuts recursively; a plan under the cost model `roofline` becomes the only candidate.
static LogicalResult runRecursiveCuts(ModuleOp module, const CompileOptions &options,
                                      SearchTables &tables) {
  FailureOr<strategy::RecursiveOutcome> outcome =
      strategy::runRecursive(module, getRecursiveOptions(options), tables.cluster);
  if (failed(outcome))
    return failure();
  tables.memory = std::move(outcome->byMemory);
  if (outcome->byRoofline)
    tables.meshes.push_back({outcome->byRoofline->program.mesh, *outcome->byRoofline,
                             /*constraints=*/{}, outcome->seconds});
  return success();
}

LogicalResult pcc::runSearch(ModuleOp module, const CompileOptions &options, SearchTables &tables) {
  const abi::ParallelConfig &config = options.parallel;
  FailureOr<abi::Cluster> cluster =
      analysis::ClusterAnalysis(module).get(config.device_num() / getPipelineShape(config).devices);
  if (failed(cluster))
    return failure();
  tables.cluster = std::move(*cluster);
  if (config.auto_parallel_search_mode() == abi::RECURSIVE_PROGRAMMING)
    return runRecursiveCuts(module, options, tables);
  if (config.cost_model() == abi::MODEL_MEMORY) {
    FailureOr<strategy::MemoryOutcome> outcome =
        strategy::runSearchByMemory(module, getMemoryOptions(options));
    if (failed(outcome))
      return failure();
    tables.memory = std::move(*outcome);
    return success();
  }
  FailureOr<std::vector<plan::MeshCandidate>> meshes =
      plan::runAutoParallel(module, getRooflineOptions(options), tables.cluster,
                            {options.searchSlowdown, options.countSearch});
  if (failed(meshes))
    return failure();
  tables.meshes = std::move(*meshes);
  return success();
}
