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

struct SearchByMemory : impl::StrategySearchByMemoryBase<SearchByMemory> {
  using StrategySearchByMemoryBase::StrategySearchByMemoryBase;

  SearchByMemory(StrategySearchByMemoryOptions options,
                 std::function<void(const MemoryOutcome &)> observe)
      : StrategySearchByMemoryBase(std::move(options)), observe(std::move(observe)) {}

  void runOnOperation() override {
    FailureOr<ConstrainedProgram> constrained = resolveConstraints(
        getOperation(), {deviceNum, gradientsMean, fullBatch, lossRepeatedMean, datasetStrategy});
    if (failed(constrained))
      return signalPassFailure();
    MemoryOutcome outcome =
        searchByMemory(getOperation(), deviceNum, std::move(*constrained), getOptions());
    if (!outcome.isFeasible()) {
      getOperation().emitError() << "no strategy found: " << outcome.result.reason;
      return signalPassFailure();
    }
    explain(getOperation(), outcome);
    if (observe)
      observe(outcome);
    annotateProgram(getOperation(), std::move(outcome.program));
  }

private:
  MemorySearchOptions getOptions() {
    MemorySearchOptions options;
    options.model = {alpha, beta, gamma};
    options.algorithm = algorithm;
    options.use = fullyUseDevices ? analysis::DeviceUse::Full : analysis::DeviceUse::Any;
    options.elementwiseFollows = elementwiseFollows;
    options.solve.seconds = timeLimit;
    options.solve.gap = gap;
    options.solve.seed = seed;
    options.solve.threads = threads;
    return options;
  }

  std::function<void(const MemoryOutcome &)> observe;
};

} // namespace

std::unique_ptr<Pass>
createStrategySearchByMemory(StrategySearchByMemoryOptions options,
                             std::function<void(const MemoryOutcome &)> observe) {
  return std::make_unique<SearchByMemory>(std::move(options), std::move(observe));
}

} // namespace pcc::strategy
