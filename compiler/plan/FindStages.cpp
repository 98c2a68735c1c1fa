// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a model without annotated stages into stages of about equal time. The pass finds layers
// (LayerChain.h), estimates their costs (LayerCosts.h), and searches the best cuts of this chain.
// The stages must fit into memory, if necessary by recomputing some layers. Assumes
// @forward on one microbatch, without a loss; only annotates its ops. A model in which some op has
// a stage is left unchanged, since later passes derive the other stages from it.
#include "compiler/plan/Passes.h"
#include "compiler/plan/layers/KeptMicrobatches.h"
#include "compiler/plan/layers/LayerCosts.h"
#include "dialects/pipe/Constraints.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/pipeline/StageConstraints.h"
#include "passes/solve/order/Schedule.h"
#include "passes/solve/stages/StageProblem.h"
#include "runtime/machine/MemoryBudget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>

using namespace mlir;

namespace pcc::plan {

// Plans stages that fit into memory, if necessary by recomputing values instead of saving them. A
// recomputed layer saves nothing for the microbatches in flight, except for the microbatch in its
// backward pass:
//
//                   time             held          live
//   saved           F + B            h             l
//   recomputed      F + B + F        h + l         0

namespace {

struct StagePlan {
  stages::StageProblem problem; ///< with the layers as planned
  stages::StageCuts cuts;
  std::vector<char> isRecomputed; ///< by layer
  std::string error;              ///< why there is no plan; empty if there is one
};

} // namespace

static stages::Layer recompute(stages::Layer layer, double forward) {
  layer.time += forward;
  layer.held += layer.live;
  layer.live = 0;
  return layer;
}

/// Lets a stage of `plan` save values again as far as memory allows. `kept` has the layers of the
/// stage without recomputation.
static void keepWhatFits(StagePlan &plan, const std::vector<stages::Layer> &kept, int stage,
                         const std::vector<double> &forward) {
  stages::StageProblem &problem = plan.problem;
  int first = plan.cuts[stage];
  int end = stage + 1 < problem.stages ? plan.cuts[stage + 1] : int(kept.size());
  auto order = llvm::to_vector(llvm::seq(first, end));
  llvm::stable_sort(order, [&](int a, int b) {
    return forward[a] * double(kept[b].live) > forward[b] * double(kept[a].live);
  });
  int64_t bytes = bytesOf(problem, first, end, stage);
  for (int layer : order) {
    int64_t recomputed = bytesOf(problem, layer, layer + 1, stage);
    stages::Layer again = std::exchange(problem.layers[layer], kept[layer]);
    int64_t saved = bytesOf(problem, layer, layer + 1, stage);
    bool fits = bytes - recomputed + saved <= problem.limit;
    plan.isRecomputed[layer] = !fits;
    if (fits)
      bytes += saved - recomputed;
    else
      problem.layers[layer] = again;
  }
}

/// Returns the best cuts with all values saved. If no cuts fit, returns the best cuts with all
/// layers recomputed. Each stage then saves layers again as far as memory allows, most seconds per
/// byte first. `forward` has the seconds of the layers' forward ops.
static StagePlan planStages(stages::StageProblem problem, const std::vector<double> &forward) {
  std::vector<stages::Layer> kept = problem.layers;
  stages::BalancedStages found = stages::balance(problem);
  if (found.error.empty())
    return {std::move(problem), std::move(found.cuts), std::vector<char>(kept.size()), ""};
  for (auto [layer, seconds] : llvm::zip_equal(problem.layers, forward))
    layer = recompute(layer, seconds);
  stages::BalancedStages again = stages::balance(problem);
  StagePlan plan{std::move(problem), std::move(again.cuts), std::vector<char>(kept.size(), true),
                 std::move(again.error)};
  if (plan.error.empty())
    for (int stage = 0; stage < plan.problem.stages; ++stage)
      keepWhatFits(plan, kept, stage, forward);
  return plan;
}

#define GEN_PASS_DEF_PLANFINDSTAGES
#include "compiler/plan/Passes.h.inc"

namespace {

bool hasStage(Operation *op) {
  return op->hasAttr(pipe::stageAttrName) || op->hasAttr(pipe::virtualStageAttrName);
}

struct FindStages : impl::PlanFindStagesBase<FindStages> {
  using PlanFindStagesBase::PlanFindStagesBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward || !forward.getBody().hasOneBlock() ||
        llvm::any_of(forward.getBody().front(), [](Operation &op) { return hasStage(&op); }))
      return;
    if (failed(findStages(forward)))
      signalPassFailure();
  }

private:
  order::PipelineShape getShape() const {
    order::PipelineShape shape;
    shape.devices = stages;
    shape.chunks = virtualStages;
    shape.microbatches = microBatches;
    shape.placement = placement;
    return shape;
  }

  FailureOr<LayerCostOptions> getCostOptions() {
    FailureOr<abi::Cluster> machine =
        getAnalysis<analysis::ClusterAnalysis>().get(deviceNum * stages);
    if (failed(machine))
      return failure();
    LayerCostOptions options;
    options.training.loss = loss;
    options.training.optimizer = optimizer;
    options.ranks = deviceNum;
    options.isReplicated = isReplicated;
    options.cluster = std::move(*machine);
    return options;
  }

  LogicalResult findStages(func::FuncOp forward) {
    FailureOr<LayerCostOptions> options = getCostOptions();
    if (failed(options))
      return failure();
    order::PipelineShape shape = getShape();
    std::vector<ChainLayer> chain = findLayers(forward, shape.stages());
    if (chain.empty())
      return forward.emitError() << "the model cannot be cut in " << shape.stages()
                                 << " stages: it computes nothing from its inputs";
    FailureOr<LayerCosts> costs = estimateLayerCosts(getOperation(), forward, chain, *options);
    if (failed(costs))
      return failure();
    stages::StageProblem problem;
    problem.layers = costs->layers;
    problem.stages = shape.stages();
    problem.microbatches = getLive(shape, options->trains());
    problem.limit = machine::memoryBudget(memoryLimit, options->cluster) / shape.chunks;
    StagePlan plan = planStages(std::move(problem), costs->forward);
    if (!plan.error.empty()) {
      getOperation()->setDiscardableAttr(infeasibleAttrName, UnitAttr::get(&getContext()));
      return forward.emitError() << "the model cannot be cut in " << shape.stages()
                                 << " stages: " << plan.error;
    }
    mark(chain, plan);
    recompute(chain, plan);
    return success();
  }

  /// Returns, by virtual stage, for how many live copies of microbatches it needs memory
  /// (countKept). The model has the rows of one copy.
  std::vector<int64_t> getLive(const order::PipelineShape &shape, bool trains) const {
    std::vector<int64_t> live(shape.stages(),
                              trains ? std::min<int64_t>(microBatches, shape.devices) : 1);
    const order::Schedule *known = order::findSchedule(schedule);
    if (trains && known && known->findViolation(shape).empty()) {
      order::Order order = known->expand(shape, order::PipelineTimes::uniform(shape, {1, 1, 1}));
      for (auto [stage, counts] : llvm::enumerate(order::countLive(shape, order)))
        live[stage] = int64_t(std::ceil(countKept(counts)));
    }
    for (int64_t &microbatches : live)
      microbatches *= trains ? int64_t(copies) : 1;
    return live;
  }

  /// Annotates ops with their stage, or with their virtual stage if a stage has several.
  void mark(ArrayRef<ChainLayer> chain, const StagePlan &plan) {
    const stages::StageProblem &problem = plan.problem;
    StringRef name = virtualStages > 1 ? pipe::virtualStageAttrName : pipe::stageAttrName;
    Builder builder(&getContext());
    for (int stage = 0; stage < problem.stages; ++stage) {
      int first = plan.cuts[stage];
      int end = stage + 1 < problem.stages ? plan.cuts[stage + 1] : int(chain.size());
      for (const ChainLayer &layer : chain.slice(first, end - first))
        for (Operation *op : layer.ops)
          op->setAttr(name, builder.getI64IntegerAttr(stage));
      remark::passed(getOperation().getLoc(),
                     remark::RemarkOpts::name("stage").category("strategy"))
          << remark::metric(virtualStages > 1 ? "chunk" : "stage", int64_t(stage))
          << remark::metric("first", chain[first].name)
          << remark::metric("last", analysis::getName(chain[end - 1].ops.back()))
          << remark::metric(
                 "recomputed",
                 llvm::count(ArrayRef(plan.isRecomputed).slice(first, end - first), true))
          << remark::metric("seconds", timeOf(problem, first, end))
          << remark::metric("bytes", bytesOf(problem, first, end, stage));
    }
  }

  /// Requests recomputation by constraints, because later passes find the ops of one rank by name.
  void recompute(ArrayRef<ChainLayer> chain, const StagePlan &plan) {
    analysis::UsedNames names(getOperation());
    SmallVector<Attribute> constraints;
    if (auto given = getOperation()->getAttrOfType<ArrayAttr>(pipe::constraintsAttrName))
      constraints.assign(given.begin(), given.end());
    FailureOr<pipeline::StageConstraints> given = pipeline::StageConstraints::read(getOperation());
    auto isSaved = [&](Operation *op) { // as the user says
      pipeline::RecomputeDecision decision;
      if (succeeded(given))
        decision = given->decideRecompute(op);
      return decision.constraint && !decision.recomputes();
    };
    Builder builder(&getContext());
    for (auto [layer, isRecomputed] : llvm::zip_equal(chain, plan.isRecomputed))
      for (Operation *op : layer.ops) {
        if (!isRecomputed)
          break;
        if (isSaved(op))
          continue;
        names.makeUnique(op);
        constraints.push_back(builder.getDictionaryAttr(
            {builder.getNamedAttr("marked", builder.getUnitAttr()),
             builder.getNamedAttr("op_name", builder.getStringAttr(analysis::getName(op))),
             builder.getNamedAttr("recompute", builder.getUnitAttr())}));
      }
    if (!constraints.empty())
      getOperation()->setAttr(pipe::constraintsAttrName, builder.getArrayAttr(constraints));
  }
};

} // namespace

} // namespace pcc::plan
