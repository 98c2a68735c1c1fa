// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program with the fastest plan found on any mesh. The plan obeys the constraints and
// the shardings in which inputs are fed. Assumes the phase grad: global shapes, roles on arguments
// and results. Leaves the ops unchanged, with a sharding on each, and removes the constraints.
#include "compiler/plan/Passes.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"

using namespace mlir;

namespace pcc::plan {

#define GEN_PASS_DEF_PLANAUTOPARALLEL
#include "compiler/plan/Passes.h.inc"

namespace {

/// Searches the plan of one module.
class AutoSearch {
public:
  AutoSearch(ModuleOp module, const PlanAutoParallelOptions &asked, const abi::Cluster &cluster,
             const SearchPace &pace)
      : module(module), asked(asked), cluster(cluster), pace(pace) {}

  FailureOr<std::vector<MeshCandidate>> run() {
    FailureOr<std::vector<MeshCandidate>> candidates = searchMeshes(
        module, listCandidates(), getConstraintOptions(), cluster, getOptions(asked.timeLimit));
    if (failed(candidates))
      return failure();
    MeshCandidate &best = candidates->front();
    if (asked.constraintTimeLimit > 0 && best.outcome.isFeasible())
      best.constraints =
          strategy::estimateConstraintCosts(best.outcome, getOptions(asked.constraintTimeLimit));
    explain(*candidates);
    if (!best.outcome.isFeasible()) {
      module->setDiscardableAttr(infeasibleAttrName, UnitAttr::get(module.getContext()));
      diagnose(best);
      return failure();
    }
    strategy::annotateProgram(module, best.outcome.program);
    return candidates;
  }

private:
  /// Lists the meshes to search; a given mesh is the only one.
  std::vector<dist::Mesh> listCandidates() {
    if (module->hasAttr(dist::meshAttrName))
      return {dist::getMesh(module)};
    return listMeshes(asked.deviceNum, asked.maxAxes);
  }

  strategy::ConstraintOptions getConstraintOptions() {
    return {asked.deviceNum, asked.gradientsMean, asked.fullBatch, asked.lossRepeatedMean,
            asked.datasetStrategy};
  }

  strategy::SearchOptions getOptions(double seconds) {
    strategy::SearchOptions options;
    options.algorithm = asked.algorithm;
    options.memoryLimit = asked.memoryLimit;
    options.solve.seconds = seconds;
    options.solve.gap = asked.gap;
    options.solve.seed = asked.seed;
    options.solve.threads = asked.threads;
    options.solve.slowdown = pace.slowdown;
    options.countWork = pace.countWork;
    return options;
  }

  void explain(ArrayRef<MeshCandidate> candidates) {
    for (const MeshCandidate &candidate : candidates) {
      const solve::SolveResult &result = candidate.outcome.result;
      auto remark =
          remark::passed(module.getLoc(), remark::RemarkOpts::name("search").category("strategy"));
      remark << remark::metric("chosen", &candidate == candidates.begin() ? "yes" : "no")
             << remark::metric("mesh", candidate.mesh.str())
             << remark::metric("nodes", candidate.outcome.problem->getProblem().nodes.size())
             << remark::metric("edges", candidate.outcome.problem->getProblem().edges.size())
             << remark::metric("status", solve::stringify(result.status));
      if (result.hasSolution())
        remark << remark::metric("step_seconds", strategy::toSeconds(result.cost))
               << remark::metric("bound_seconds", strategy::toSeconds(result.bound));
    }
    for (const strategy::ConstraintCost &constraint : candidates.front().constraints)
      if (constraint.isKnown)
        remark::passed(module.getLoc(), remark::RemarkOpts::name("constraint").category("strategy"))
            << remark::metric("constraint", constraint.text)
            << remark::metric("seconds", constraint.seconds)
            << remark::metric("max_seconds", constraint.maxSeconds);
  }

  /// Reports the tensors that do not fit, and the constraints that cause it.
  void diagnose(const MeshCandidate &closest) {
    const strategy::SearchOutcome &outcome = closest.outcome;
    if (outcome.result.status != solve::SolveStatus::Infeasible) {
      module.emitError() << "no plan was found on mesh \"" << closest.mesh.str()
                         << "\": " << outcome.result.reason;
      return;
    }
    InFlightDiagnostic error = module.emitError()
                               << "no plan fits on mesh \"" << closest.mesh.str()
                               << "\": " << strategy::describeShortage(*outcome.problem);
    strategy::PlanConflict conflict =
        strategy::findPlanConflict(outcome, getOptions(asked.timeLimit));
    if (!conflict.needsConstraints) {
      if (!outcome.requested.constraints.empty())
        error.attachNote() << "nor does one without the constraints";
      return;
    }
    error.attachNote() << "a minimal set of constraints with which none fits, out of "
                       << outcome.requested.constraints.size() << ":";
    for (int constraint : conflict.constraints)
      error.attachNote() << outcome.requested.constraints[constraint].text;
  }

  ModuleOp module;
  const PlanAutoParallelOptions &asked;
  const abi::Cluster &cluster;
  const SearchPace &pace;
};

struct AutoParallel : impl::PlanAutoParallelBase<AutoParallel> {
  using PlanAutoParallelBase::PlanAutoParallelBase;

  void runOnOperation() override {
    FailureOr<abi::Cluster> machine = getAnalysis<analysis::ClusterAnalysis>().get(deviceNum);
    if (failed(machine) || failed(runAutoParallel(getOperation(), getOptions(), *machine)))
      signalPassFailure();
  }

private:
  PlanAutoParallelOptions getOptions() const {
    PlanAutoParallelOptions options;
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
    options.memoryLimit = memoryLimit;
    options.maxAxes = maxAxes;
    options.constraintTimeLimit = constraintTimeLimit;
    return options;
  }
};

} // namespace

FailureOr<std::vector<MeshCandidate>> runAutoParallel(ModuleOp module,
                                                      const PlanAutoParallelOptions &options,
                                                      const abi::Cluster &cluster,
                                                      const SearchPace &pace) {
  return AutoSearch(module, options, cluster, pace).run();
}

} // namespace pcc::plan
