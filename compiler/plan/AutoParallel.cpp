// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates a program with the fastest plan found on any mesh. The plan obeys the constraints and
// the shardings in which inputs are fed. Assumes the phase grad: global shapes, roles on arguments
// and results. Leaves the ops unchanged, with a sharding on each, and removes the constraints.
#include "compiler/plan/Passes.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Remarks.h"
#include "runtime/machine/Cluster.h"

using namespace mlir;

namespace pcc::plan {

#define GEN_PASS_DEF_PLANAUTOPARALLEL
#include "compiler/plan/Passes.h.inc"

namespace {

struct AutoParallel : impl::PlanAutoParallelBase<AutoParallel> {
  using PlanAutoParallelBase::PlanAutoParallelBase;

  AutoParallel(PlanAutoParallelOptions options, SearchObserver observe)
      : PlanAutoParallelBase(std::move(options)), observe(std::move(observe)) {}

  void runOnOperation() override {
    abi::Expected<abi::Cluster> machine = machine::parseCluster(cluster, deviceNum);
    if (!machine) {
      getOperation().emitError() << machine.status().message();
      return signalPassFailure();
    }
    FailureOr<std::vector<MeshCandidate>> candidates = searchMeshes(
        getOperation(), listCandidates(), getPinOptions(), *machine, getOptions(timeLimit));
    if (failed(candidates))
      return signalPassFailure();
    MeshCandidate &best = candidates->front();
    if (constraintTimeLimit > 0 && best.outcome.isFeasible())
      best.constraints =
          strategy::estimateConstraintCosts(best.outcome, getOptions(constraintTimeLimit));
    if (observe)
      observe(*candidates);
    explain(*candidates);
    if (best.outcome.isFeasible())
      return strategy::annotateProgram(getOperation(), std::move(best.outcome.program));
    diagnose(best);
    signalPassFailure();
  }

private:
  /// Lists the meshes to search; a given mesh is the only one.
  std::vector<dist::Mesh> listCandidates() {
    if (getOperation()->hasAttr(dist::meshAttrName))
      return {dist::getMesh(getOperation())};
    return listMeshes(deviceNum, maxAxes);
  }

  strategy::ModeOptions getPinOptions() {
    return {deviceNum, gradientsMean, fullBatch, lossRepeatedMean, datasetStrategy};
  }

  strategy::SearchOptions getOptions(double seconds) {
    strategy::SearchOptions options;
    options.algorithm = algorithm;
    options.memoryLimit = memoryLimit;
    options.solve.seconds = seconds;
    options.solve.gap = gap;
    options.solve.seed = seed;
    options.solve.threads = threads;
    return options;
  }

  void explain(ArrayRef<MeshCandidate> candidates) {
    for (const MeshCandidate &candidate : candidates) {
      const solve::SolveResult &result = candidate.outcome.result;
      auto remark = remark::passed(getOperation().getLoc(),
                                   remark::RemarkOpts::name("search").category("strategy"));
      remark << remark::metric("mesh", candidate.mesh.str())
             << remark::metric("nodes", candidate.outcome.problem->getProblem().nodes.size())
             << remark::metric("edges", candidate.outcome.problem->getProblem().edges.size())
             << remark::metric("status", solve::stringify(result.status));
      if (result.hasSolution())
        remark << remark::metric("step_seconds", strategy::toSeconds(result.cost))
               << remark::metric("bound_seconds", strategy::toSeconds(result.bound));
    }
    for (const strategy::ConstraintCost &constraint : candidates.front().constraints)
      if (constraint.isKnown)
        remark::passed(getOperation().getLoc(),
                       remark::RemarkOpts::name("constraint").category("strategy"))
            << remark::metric("constraint", constraint.text)
            << remark::metric("seconds", constraint.seconds)
            << remark::metric("max_seconds", constraint.maxSeconds);
  }

  /// Reports the tensors that do not fit, and the constraints that cause it.
  void diagnose(const MeshCandidate &closest) {
    const strategy::SearchOutcome &outcome = closest.outcome;
    if (outcome.result.status != solve::SolveStatus::Infeasible) {
      getOperation().emitError() << "no plan was found on mesh \"" << closest.mesh.str()
                                 << "\": " << outcome.result.reason;
      return;
    }
    InFlightDiagnostic error = getOperation().emitError()
                               << "no plan fits on mesh \"" << closest.mesh.str()
                               << "\": " << strategy::describeShortage(*outcome.problem);
    strategy::PlanConflict conflict = strategy::findPlanConflict(outcome, getOptions(timeLimit));
    if (!conflict.needsConstraints) {
      if (!outcome.asked.constraints.empty())
        error.attachNote() << "nor does one without the constraints";
      return;
    }
    error.attachNote() << "a smallest set of constraints with which none fits, out of "
                       << outcome.asked.constraints.size() << ":";
    for (int constraint : conflict.constraints)
      error.attachNote() << outcome.asked.constraints[constraint].text;
  }

  SearchObserver observe;
};

} // namespace

std::unique_ptr<Pass> createPlanAutoParallel(PlanAutoParallelOptions options,
                                             SearchObserver observe) {
  return std::make_unique<AutoParallel>(std::move(options), std::move(observe));
}

} // namespace pcc::plan
