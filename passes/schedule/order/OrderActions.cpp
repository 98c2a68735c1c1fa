// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OrderActions: puts the actions of each stage in the order of a schedule (passes/solve/order). For
// `auto` that is the fastest order that a search finds for the times of the stages.
//
//   1f1b   stage 0   F0 F1 F2 F3 B0 B1 B2 B3 update   becomes   F0 F1 B0 F2 B1 F3 B2 B3 update
//          stage 1   F0 F1 F2 F3 B0 B1 B2 B3 update             F0 B0 F1 B1 F2 B2 F3 B3 update
//
// Assumes the modules of stages with sections as named by the stage split
// (passes/analysis/StageSections.h). Leaves the same actions in the order of the schedule; actions
// that run once for all microbatches stay last. Messages are matched by microbatch, so any order
// has the same semantics. No schedule yields an order in which stages wait for one another in a
// cycle.
#include "passes/schedule/Passes.h"
#include "passes/schedule/order/StageCosts.h"
#include "passes/schedule/order/StepActions.h"

#include "dialects/pipe/Stages.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/StageSections.h"
#include "passes/solve/order/AutoSchedule.h"
#include "passes/solve/order/Clock.h"
#include "passes/solve/order/Schedule.h"

using namespace mlir;

namespace pcc::schedule {
#define GEN_PASS_DEF_ORDERACTIONS
#include "passes/schedule/Passes.h.inc"

namespace {

constexpr StringLiteral autoName = "auto";

/// Chosen order with its evaluation.
struct Decision {
  std::string name; ///< name of a schedule, or `list`
  order::Order order;
  order::Timeline timeline;
};

struct OrderActions : impl::OrderActionsBase<OrderActions> {
  using OrderActionsBase::OrderActionsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<ModuleOp>> programs = pipe::listPrograms(getOperation());
    if (failed(programs))
      return signalPassFailure();
    bool isWhole = programs->front() == getOperation();
    if (isWhole || !analysis::getStep(programs->front()))
      return;
    FailureOr<StepActions> actions = StepActions::read(*programs);
    if (failed(actions))
      return signalPassFailure();
    FailureOr<StageCosts> costs = findCosts(actions->getShape());
    if (failed(costs))
      return signalPassFailure();
    FailureOr<Decision> decision =
        schedule == autoName ? search(*actions, *costs) : expand(*actions, costs->times);
    if (failed(decision) || failed(actions->reorder(decision->order)))
      return signalPassFailure();
    decision->timeline = order::run(actions->getShape(), decision->order, costs->times);
    remarkOn(*actions, *decision);
  }

  /// Returns the costs of the options, of the annotation, or equal costs.
  FailureOr<StageCosts> findCosts(const order::PipelineShape &shape) {
    FailureOr<std::optional<StageCosts>> annotated = takeStageCosts(getOperation(), shape.stages());
    if (failed(annotated))
      return failure();
    StageCosts costs;
    if (times.empty() && *annotated) {
      costs = std::move(**annotated);
    } else {
      FailureOr<order::PipelineTimes> given = readTimes(shape);
      if (failed(given))
        return failure();
      costs.times = std::move(*given);
    }
    if (liveLimit > 0)
      costs.liveLimit = liveLimit;
    if (costs.liveLimit == 0)
      costs.liveLimit = shape.stages();
    return costs;
  }

  /// Returns the times F, B and W: the same for all virtual stages, or separate times for each.
  FailureOr<order::PipelineTimes> readTimes(const order::PipelineShape &shape) {
    SmallVector<double> given(times.begin(), times.end());
    if (given.empty())
      given = {1, 1, 1};
    size_t chunks = shape.stages();
    if ((given.size() != 3 && given.size() != 3 * chunks) ||
        llvm::any_of(given, [](double time) { return !(time >= 0); }))
      return getOperation().emitError(
                 "times: expected F,B,W, none below 0, or these three for each "
                 "of ")
             << chunks << " chunks, got " << given.size() << " numbers";
    auto result = order::PipelineTimes::uniform(shape, {}, latency);
    for (size_t chunk = 0; chunk < chunks; ++chunk) {
      const double *entry = given.size() == 3 ? given.data() : &given[3 * chunk];
      result.stages[chunk] = {entry[0], entry[1], entry[2]};
    }
    return result;
  }

  InFlightDiagnostic refuse() {
    return getOperation().emitError("schedule \"") << schedule.getValue() << "\": ";
  }

  LogicalResult checkSplit(const StepActions &actions, bool splits) {
    if (!splits || actions.splitsBackward())
      return success();
    return refuse() << "expected sections \"" << analysis::backwardInputName << "\" and \""
                    << analysis::backwardWeightName
                    << "\", so that the gradients of weights can wait, "
                    << "got \"" << analysis::backwardName << "\"";
  }

  FailureOr<Decision> expand(const StepActions &actions, const order::PipelineTimes &known) {
    const order::Schedule *named = order::findSchedule(schedule.getValue());
    if (!named)
      return getOperation().emitError("expected schedule ")
             << order::listScheduleNames() << " or " << autoName << ", got \""
             << schedule.getValue() << "\"";
    const order::PipelineShape &shape = actions.getShape();
    if (std::string error = named->findViolation(shape); !error.empty())
      return refuse() << error;
    if (shape.chunks > 1 && shape.placement != named->placement) {
      bool isVee = named->placement == order::Placement::Vee;
      return refuse() << "expected the loss in stage " << (isVee ? 0 : shape.devices - 1)
                      << ", where chunks " << (isVee ? "of a vee" : "in a loop") << " end";
    }
    if (failed(checkSplit(actions, named->splitsBackward)))
      return failure();
    return Decision{std::string(named->name), named->expand(shape, known), {}};
  }

  FailureOr<Decision> search(const StepActions &actions, const StageCosts &costs) {
    if (failed(checkSplit(actions, /*splits=*/true)))
      return failure();
    const order::PipelineShape &shape = actions.getShape();
    order::AutoOptions options;
    options.cap = std::min(costs.liveLimit, shape.microbatches * shape.chunks);
    order::AutoSchedule found = order::autoSchedule(shape, costs.times, options);
    if (found.order.empty())
      return refuse() << "no order keeps at most " << options.cap
                      << " chunks of microbatches live in a stage of " << shape.chunks;
    return Decision{found.name, std::move(found.order), {}};
  }

  void remarkOn(const StepActions &actions, const Decision &decision) {
    auto options = remark::RemarkOpts::name("order-actions").category("schedule");
    remark::analysis(getOperation().getLoc(), options)
        << remark::metric("schedule", StringRef(schedule.getValue()))
        << remark::metric("order", StringRef(decision.name))
        << remark::metric("microbatches", actions.getShape().microbatches)
        << remark::metric("bubble_rate", decision.timeline.bubbleRate());
    for (int64_t stage = 0; stage < actions.getShape().devices; ++stage)
      remark::analysis(actions.getStage(stage).getLoc(), options)
          << remark::metric("stage", stage)
          << remark::metric("live_chunks", decision.timeline.peakLive[stage]);
  }
};

} // namespace
} // namespace pcc::schedule
