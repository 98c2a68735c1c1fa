// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EstimateStageCosts: annotates the module with the times of its pipeline stages on the attached
// machine, by which OrderActions then orders the actions. Without a machine there is no annotation,
// and the order assumes stages of equal cost. Assumes the modules of stages with their steps.
// Leaves the ops unchanged.
#include "compiler/plan/Passes.h"
#include "compiler/plan/cost/PipelineCost.h"
#include "dialects/dist/Dist.h"
#include "dialects/pipe/Stages.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/Sections.h"
#include "passes/schedule/order/StageCosts.h"
#include "passes/schedule/order/StepActions.h"
#include "runtime/machine/MemoryBudget.h"

using namespace mlir;

namespace pcc::plan {

#define GEN_PASS_DEF_PLANESTIMATESTAGECOSTS
#include "compiler/plan/Passes.h.inc"

namespace {

struct EstimateStageCosts : impl::PlanEstimateStageCostsBase<EstimateStageCosts> {
  using PlanEstimateStageCostsBase::PlanEstimateStageCostsBase;

  void runOnOperation() override {
    auto &machine = getAnalysis<analysis::ClusterAnalysis>();
    FailureOr<SmallVector<ModuleOp>> stages = pipe::listPrograms(getOperation());
    if (failed(stages))
      return signalPassFailure();
    if (!machine.isGiven() || stages->size() == 1 || !analysis::getStep(stages->front()))
      return;
    FailureOr<schedule::StepActions> actions = schedule::StepActions::read(*stages);
    int64_t ranks = dist::getMesh(stages->front()).getNumRanks() * int64_t(stages->size());
    FailureOr<abi::Cluster> cluster = machine.get(ranks);
    if (failed(actions) || failed(cluster))
      return signalPassFailure();
    annotate(*stages, actions->getShape(), *cluster);
  }

private:
  void annotate(ArrayRef<ModuleOp> stages, const order::PipelineShape &shape,
                const abi::Cluster &cluster) {
    int64_t memory = machine::memoryBudget(memoryLimit, cluster);
    PipelineCost cost = estimatePipelineCost(stages, shape, cluster);
    int64_t limit = std::max<int64_t>(cost.getLiveLimit(shape.chunks, memory), 1);
    schedule::annotateStageCosts(getOperation(), {std::move(cost.times), limit});
  }
};

} // namespace
} // namespace pcc::plan
