// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks a program by the strategies that cost least under the cost model `memory`; the backward
// pass and the update follow. Pins hold. Assumes global shapes and roles on arguments and results;
// leaves the ops as they are, with a sharding on each, and no pins.
#include "mlir/IR/Remarks.h"
#include "passes/strategy/MemorySearch.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/RecursiveStrategy.h"

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSEARCHBYMEMORY
#include "passes/strategy/Passes.h.inc"

namespace {

struct SearchByMemory : impl::StrategySearchByMemoryBase<SearchByMemory> {
  using StrategySearchByMemoryBase::StrategySearchByMemoryBase;

  void runOnOperation() override {
    FailureOr<PinnedProgram> pinned = resolvePins(
        getOperation(), {deviceNum, gradientsMean, fullBatch, lossRepeatedMean, datasetStrategy});
    if (failed(pinned))
      return signalPassFailure();
    MemoryOutcome outcome = recursive ? cut(std::move(*pinned)) : search(std::move(*pinned));
    if (!outcome.isFeasible()) {
      getOperation().emitError() << "no strategy found: " << outcome.result.reason;
      return signalPassFailure();
    }
    explain(outcome);
    markProgram(getOperation(), std::move(outcome.program));
  }

private:
  MemorySearchOptions getOptions() {
    MemorySearchOptions options;
    options.model = {alpha, beta, gamma};
    options.use = fullyUseDevices ? facts::DeviceUse::Full : facts::DeviceUse::Any;
    options.elementwiseFollows = elementwiseFollows;
    return options;
  }

  MemoryOutcome search(PinnedProgram pinned) {
    return searchByMemory(getOperation(), deviceNum, std::move(pinned), getOptions());
  }

  /// What is pinned stays; with all strategies given the search only adds up their prices.
  MemoryOutcome cut(PinnedProgram pinned) {
    llvm::DenseSet<Operation *> fixed;
    for (const auto &entry : pinned.given.ops)
      fixed.insert(entry.first);
    addRecursiveStrategy(getOperation(), deviceNum, pinned);
    improveByMemory(
        getOperation(), deviceNum, getOptions().model,
        [&](Operation *op) { return fixed.contains(op); }, pinned);
    return search(std::move(pinned));
  }

  void explain(const MemoryOutcome &outcome) {
    remark::passed(getOperation().getLoc(), remark::RemarkOpts::name("search").category("strategy"))
        << remark::metric("mesh", outcome.program.mesh.str())
        << remark::metric("computation", outcome.price.computation)
        << remark::metric("activations", outcome.price.activations)
        << remark::metric("parameters", outcome.price.parameters)
        << remark::metric("total", outcome.total);
  }
};

} // namespace
} // namespace pcc::strategy
