// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/StrategyPasses.h"

#include "compiler/PipelineShape.h"
#include "compiler/plan/Passes.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "runtime/machine/Cluster.h"
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

/// Returns the bytes that a search may use on a rank; 0: the memory of the machine. The search sees
/// all pipeline stages on the ranks of one stage, so the limit is multiplied by the number of
/// stages.
static int64_t getSearchedMemory(const CompileOptions &options) {
  int64_t limit = options.cluster ? machine::memoryBudget(options.parallel, *options.cluster)
                                  : options.parallel.memory_limit();
  return limit * getPipelineShape(options.parallel).devices;
}

std::unique_ptr<Pass> pcc::makeDataParallel(const CompileOptions &options) {
  return strategy::createStrategyDataParallel(
      getModeOptions<strategy::StrategyDataParallelOptions>(options.parallel));
}

std::unique_ptr<Pass> pcc::makeSemiAuto(const CompileOptions &options) {
  return strategy::createStrategySemiAuto(
      getConstrainedOptions<strategy::StrategySemiAutoOptions>(options.parallel));
}

std::unique_ptr<Pass> pcc::makeRecursiveCuts(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  auto cuts = getConstrainedOptions<strategy::StrategyRecursiveOptions>(config);
  cuts.improvement = config.cost_model() == abi::MODEL_MEMORY ? strategy::CostModel::Memory
                                                              : strategy::CostModel::Roofline;
  cuts.memoryLimit = getSearchedMemory(options);
  if (options.cluster)
    cuts.cluster = machine::toText(*options.cluster);
  return strategy::createStrategyRecursive(
      cuts, [byRoofline = options.observeSearch,
             byMemory = options.observeMemorySearch](const strategy::RecursiveOutcome &outcome) {
        if (outcome.byMemory && byMemory)
          byMemory(*outcome.byMemory);
        if (outcome.byRoofline && byRoofline)
          byRoofline(plan::MeshCandidate{outcome.byRoofline->program.mesh, *outcome.byRoofline,
                                         /*constraints=*/{}, outcome.seconds});
      });
}

std::unique_ptr<Pass> pcc::makeMemorySearch(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  auto search = getConstrainedOptions<strategy::StrategySearchByMemoryOptions>(config);
  search.algorithm = getAlgorithm(config);
  search.timeLimit = config.time_limit();
  search.gap = options.searchGap;
  search.seed = options.searchSeed;
  search.threads = options.searchThreads;
  search.fullyUseDevices = config.fully_use_devices();
  search.elementwiseFollows = config.elementwise_op_strategy_follow();
  return strategy::createStrategySearchByMemory(search, options.observeMemorySearch);
}

std::unique_ptr<Pass> pcc::makeRooflineSearch(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  auto search = getConstrainedOptions<plan::PlanAutoParallelOptions>(config);
  search.algorithm = getAlgorithm(config);
  search.timeLimit = config.time_limit();
  search.memoryLimit = getSearchedMemory(options);
  search.gap = options.searchGap;
  search.seed = options.searchSeed;
  search.threads = options.searchThreads;
  search.constraintTimeLimit = options.constraintTimeLimit;
  if (options.cluster)
    search.cluster = machine::toText(*options.cluster);
  return plan::createPlanAutoParallel(search, options.observeSearch);
}
