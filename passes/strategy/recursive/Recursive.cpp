// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program by recursive cuts of the devices: every forward op decides for itself, given
// its neighbors' cuts; the backward pass and the update follow. If an improvement is requested, all
// ops then try their neighboring strategies under a cost model. Constraints hold. Assumes global
// shapes and roles on arguments and results. Leaves the ops unchanged, with a sharding on each, and
// no constraints.
#include "mlir/IR/Remarks.h"
#include "passes/analysis/reshard/ReshardPlan.h"
#include "passes/analysis/reshard/ReshardTable.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "passes/strategy/search/SearchImprove.h"
#include "runtime/machine/Cluster.h"
#include <chrono>

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYRECURSIVE
#include "passes/strategy/Passes.h.inc"

namespace {

struct Recursive : impl::StrategyRecursiveBase<Recursive> {
  using StrategyRecursiveBase::StrategyRecursiveBase;

  Recursive(StrategyRecursiveOptions options, std::function<void(const RecursiveOutcome &)> observe)
      : StrategyRecursiveBase(std::move(options)), observe(std::move(observe)) {}

  void runOnOperation() override {
    FailureOr<ConstrainedProgram> program = resolveConstraints(
        getOperation(), {deviceNum, gradientsMean, fullBatch, lossRepeatedMean, datasetStrategy});
    if (failed(program))
      return signalPassFailure();
    SeedShardings fixed = program->given;
    RecursiveOutcome outcome;
    auto start = std::chrono::steady_clock::now();
    addRecursiveStrategy(getOperation(), deviceNum, *program);
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (improvement == CostModel::Memory)
      improveMemory(std::move(*program), fixed, outcome);
    else if (failed(annotateAndImprove(std::move(*program), std::move(fixed), outcome)))
      return signalPassFailure();
    if (observe)
      observe(outcome);
  }

private:
  /// Annotates the program by the cuts, and again by the improved plan. The cost model `roofline`
  /// needs the first annotation because it models the whole step.
  LogicalResult annotateAndImprove(ConstrainedProgram program, SeedShardings fixed,
                                   RecursiveOutcome &outcome) {
    dist::Mesh mesh = program.mesh;
    annotateProgram(getOperation(), std::move(program));
    // On more axes every reshard would be planned separately, which takes minutes.
    if (improvement == CostModel::None ||
        analysis::dropTrivialAxes(mesh).getAxes().size() > analysis::maxTableAxes)
      return success();
    abi::Expected<abi::Cluster> machine = machine::parseCluster(cluster, deviceNum);
    if (!machine)
      return getOperation().emitError() << machine.status().message();
    SearchOptions options;
    options.memoryLimit = memoryLimit;
    outcome.byRoofline = improveSearch(getOperation(), mesh, std::move(fixed), *machine, options);
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("improve").category("strategy"))
        << remark::metric("mesh", mesh.str())
        << remark::metric("before_seconds", toSeconds(outcome.byRoofline->costBefore))
        << remark::metric("step_seconds", toSeconds(outcome.byRoofline->result.cost));
    annotateProgram(getOperation(), outcome.byRoofline->program);
    return success();
  }

  /// Improves the forward ops under the cost model `memory`; all other ops follow them.
  void improveMemory(ConstrainedProgram program, const SeedShardings &fixed,
                     RecursiveOutcome &outcome) {
    MemorySearchOptions options;
    options.model = {alpha, beta, gamma};
    improveByMemory(
        getOperation(), deviceNum, options.model,
        [&](Operation *op) { return fixed.ops.contains(op); }, program);
    // All strategies are given, so the search only adds up their costs.
    outcome.byMemory = searchByMemory(getOperation(), deviceNum, std::move(program), options);
    explain(getOperation(), *outcome.byMemory);
    annotateProgram(getOperation(), outcome.byMemory->program);
  }

  std::function<void(const RecursiveOutcome &)> observe;
};

} // namespace

std::unique_ptr<Pass>
createStrategyRecursive(StrategyRecursiveOptions options,
                        std::function<void(const RecursiveOutcome &)> observe) {
  return std::make_unique<Recursive>(std::move(options), std::move(observe));
}

} // namespace pcc::strategy
