// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program by recursive cuts of the devices: every forward op decides for itself, given
// its neighbors' cuts; the backward pass and the update follow. If an improvement is requested, all
// ops then try their neighboring strategies under a cost model. Constraints hold. Assumes global
// shapes and roles on arguments and results. Leaves the ops unchanged, with a sharding on each, and
// no constraints.
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/recursive/RecursiveStrategy.h"
#include "passes/strategy/search/Search.h"
#include <chrono>

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYRECURSIVE
#include "passes/strategy/Passes.h.inc"

namespace {

/// Improves the annotated program under the cost model `roofline`, which needs the annotations
/// because it models the whole step. Annotates the improved plan.
void improveTime(ModuleOp module, const dist::Mesh &mesh, SeedShardings fixed,
                 const StrategyRecursiveOptions &asked, const abi::Cluster &cluster,
                 RecursiveOutcome &outcome) {
  SearchOptions options;
  options.memoryLimit = asked.memoryLimit;
  outcome.byRoofline = improveSearch(module, mesh, std::move(fixed), cluster, options);
  remark::passed(module.getLoc(), remark::RemarkOpts::name("improve").category("strategy"))
      << remark::metric("mesh", mesh.str())
      << remark::metric("before_seconds", toSeconds(outcome.byRoofline->costBefore))
      << remark::metric("step_seconds", toSeconds(outcome.byRoofline->result.cost));
  annotateProgram(module, outcome.byRoofline->program);
}

/// Improves the forward ops under the cost model `memory`; all other ops follow them.
void improveMemory(ModuleOp module, ConstrainedProgram program, const SeedShardings &fixed,
                   const StrategyRecursiveOptions &asked, RecursiveOutcome &outcome) {
  MemorySearchOptions options;
  options.model = {asked.alpha, asked.beta, asked.gamma};
  improveByMemory(
      module, asked.deviceNum, options.model, [&](Operation *op) { return fixed.ops.contains(op); },
      program);
  // All strategies are given, so the search only adds up their costs.
  outcome.byMemory = searchByMemory(module, asked.deviceNum, std::move(program), options);
  explain(module, *outcome.byMemory);
  annotateProgram(module, outcome.byMemory->program);
}

struct Recursive : impl::StrategyRecursiveBase<Recursive> {
  using StrategyRecursiveBase::StrategyRecursiveBase;

  void runOnOperation() override {
    FailureOr<abi::Cluster> machine = abi::Cluster();
    if (improvement == CostModel::Roofline)
      machine = getAnalysis<analysis::ClusterAnalysis>().get(deviceNum);
    if (failed(machine) || failed(runRecursive(getOperation(), getOptions(), *machine)))
      signalPassFailure();
  }

private:
  StrategyRecursiveOptions getOptions() const {
    StrategyRecursiveOptions options;
    options.deviceNum = deviceNum;
    options.gradientsMean = gradientsMean;
    options.fullBatch = fullBatch;
    options.datasetStrategy = datasetStrategy;
    options.lossRepeatedMean = lossRepeatedMean;
    options.memoryLimit = memoryLimit;
    options.alpha = alpha;
    options.beta = beta;
    options.gamma = gamma;
    options.improvement = improvement;
    return options;
  }
};

} // namespace

FailureOr<RecursiveOutcome> runRecursive(ModuleOp module, const StrategyRecursiveOptions &options,
                                         const abi::Cluster &cluster) {
  FailureOr<ConstrainedProgram> program =
      resolveConstraints(module, {options.deviceNum, options.gradientsMean, options.fullBatch,
                                  options.lossRepeatedMean, options.datasetStrategy});
  if (failed(program))
    return failure();
  SeedShardings fixed = program->given;
  RecursiveOutcome outcome;
  auto start = std::chrono::steady_clock::now();
  addRecursiveStrategy(module, options.deviceNum, *program);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.improvement == CostModel::Memory) {
    improveMemory(module, std::move(*program), fixed, options, outcome);
    return outcome;
  }
  dist::Mesh mesh = program->mesh;
  annotateProgram(module, std::move(*program));
  if (options.improvement == CostModel::Roofline)
    improveTime(module, mesh, std::move(fixed), options, cluster, outcome);
  return outcome;
}

} // namespace pcc::strategy
