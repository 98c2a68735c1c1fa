// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the cost of a step of a program with pipeline stages on a described machine. Each stage
// has its own costs (StepCost.h): the time of a microbatch in its sections, and the latency of its
// messages. With the order of a schedule, these times give when each stage works
// (passes/solve/order/Clock.h); then the stage updates. The gradients of a virtual stage are
// reduced from its last backward pass on, in parallel with other virtual stages. Its updated
// parameters are gathered during its first forward pass.
//
//   step = max over stages of (end of its last backward pass + exposed reductions + update
//                              + exposed gathers)
//   bytes of a stage = parameters, states, gradients + saved bytes of a microbatch * live
//                      microbatches + live bytes of its largest section
#pragma once

#include "compiler/plan/cost/StepCost.h"
#include "passes/solve/order/Clock.h"

namespace pcc::plan {

/// Costs of one stage.
struct StageCost {
  StepCost step; ///< of its sections alone
  /// Seconds after its last backward pass, without reductions and gathers.
  double ending = 0;
  /// Whether reductions and gathers overlap with computation, when they start, and the share of
  /// their time that computation hides.
  bool hidesReductions = true, alignsReductions = false;
  double hiddenShare = 1;
  int64_t heldBytes = 0; ///< parameters, states, gradients
  int64_t savedBytes =
      0; ///< saved by a microbatch from its forward to its backward pass, in all virtual stages
  int64_t workBytes = 0; ///< live in a section in addition to these
};

struct PipelineCost {
  std::vector<StageCost> stages;
  order::PipelineTimes times;

  /// Cost of an order that `order::check` accepts.
  struct Outcome {
    order::Timeline timeline;
    double seconds = 0;
    std::vector<int64_t> peakBytes; ///< by stage
  };
  Outcome run(const order::PipelineShape &shape, const order::Order &order) const;

  /// Returns the number of live microbatches, counted per virtual stage, for which every stage fits
  /// into `memory` bytes. `chunks` is the number of virtual stages per stage. Below 1 if not even
  /// one fits.
  int64_t getLiveLimit(int chunks, int64_t memory) const;
};

/// Estimates the costs of `stages`, modules after the phase `stages`, for a step of `shape`.
/// `cluster` is complete and has a device for each rank of all stages.
PipelineCost estimatePipelineCost(llvm::ArrayRef<mlir::ModuleOp> stages,
                                  const order::PipelineShape &shape, const abi::Cluster &cluster,
                                  const CostOptions &options = {});

} // namespace pcc::plan
