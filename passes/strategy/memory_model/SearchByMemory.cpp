// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program with the strategies of least cost under the cost model `memory`; the backward
// pass and the update follow. Constraints hold. Assumes global shapes and roles on arguments and
// results. Leaves the ops unchanged, with a sharding on each, and no constraints.
#include "passes/strategy/Passes.h"
#include "passes/strategy/memory_model/MemorySearch.h"

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSEARCHBYMEMORY
#include "passes/strategy/Passes.h.inc"

namespace {

MemorySearchOptions getSearchOptions(const StrategySearchByMemoryOptions &asked) {
  MemorySearchOptions options;
  options.model = {asked.alpha, asked.beta, asked.gamma};
  options.algorithm = asked.algorithm;
  options.use = asked.fullyUseDevices ? analysis::DeviceUse::Full : analysis::DeviceUse::Any;
  options.elementwiseFollows = asked.elementwiseFollows;
  options.solve.seconds = asked.timeLimit;
  options.solve.gap = asked.gap;
  options.solve.seed = asked.seed;
  options.solve.threads = asked.threads;
  return options;
}

struct SearchByMemory : impl::StrategySearchByMemoryBase<SearchByMemory> {
  using StrategySearchByMemoryBase::StrategySearchByMemoryBase;

  void runOnOperation() override {
    if (failed(runSearchByMemory(getOperation(), getOptions())))
      signalPassFailure();
  }

private:
  StrategySearchByMemoryOptions getOptions() const {
    StrategySearchByMemoryOptions options;
    options.deviceNum = deviceNum;
    options.gradientsMean = gradientsMean;
    options.fullBatch = fullBatch;
    options.datasetStrategy = datasetStrategy;
    options.lossRepeatedMean = lossRepeatedMean;
    options.algorithm = algorithm;
    options.timeLimit = timeLimit;
    options.gap = gap;
    options.seed = seed;
    options.threads = threads;
    options.alpha = alpha;
    options.beta = beta;
    options.gamma = gamma;
    options.fullyUseDevices = fullyUseDevices;
    options.elementwiseFollows = elementwiseFollows;
    return options;
  }
};

} // namespace

FailureOr<MemoryOutcome> runSearchByMemory(ModuleOp module,
                                           const StrategySearchByMemoryOptions &options) {
  FailureOr<ConstrainedProgram> constrained =
      resolveConstraints(module, {options.deviceNum, options.gradientsMean, options.fullBatch,
                                  options.lossRepeatedMean, options.datasetStrategy});
  if (failed(constrained))
    return failure();
  MemoryOutcome outcome =
      searchByMemory(module, options.deviceNum, std::move(*constrained), getSearchOptions(options));
  if (!outcome.isFeasible())
    return module.emitError() << "no strategy found: " << outcome.result.reason;
  explain(module, outcome);
  annotateProgram(module, outcome.program);
  return outcome;
}

} // namespace pcc::strategy
