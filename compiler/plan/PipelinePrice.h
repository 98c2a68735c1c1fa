// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step of a program that was cut in pipeline stages costs on a described machine. Each stage
// is priced by itself (StepPrice.h): how long a microbatch takes in its sections, and how long its
// messages are on the way. These times, in the order of a schedule, give when each stage works
// (passes/solve/order/Clock.h); then it updates. The gradients of a chunk are reduced from its last
// backward pass on, beside those of other chunks; its updated parameters are gathered beside its
// first forward pass.
//
//   step = max over stages of (end of its last backward pass + exposed reductions + update
//                              + exposed gathers)
//   bytes of a stage = parameters, states, gradients + saved bytes of a microbatch * live ones
//                      + what its largest section has live
#pragma once

#include "compiler/plan/StepPrice.h"
#include "passes/solve/order/Clock.h"

namespace pcc::plan {

/// What one stage does and keeps.
struct StagePrice {
  StepPrice step; ///< of its sections alone
  /// Seconds after its last backward pass, without reductions and gathers.
  double ending = 0;
  /// Whether and when these run beside computation, and what of that does not count.
  bool hidesReductions = true, alignsReductions = false;
  double hiddenShare = 1;
  int64_t heldBytes = 0; ///< parameters, states, gradients
  int64_t savedBytes =
      0; ///< that a microbatch keeps from its forward to its backward pass, all chunks
  int64_t workBytes = 0; ///< that a section has live beside
};

struct PipelinePrice {
  std::vector<StagePrice> stages;
  order::PipelineTimes times;

  /// Of an order that `order::check` accepts.
  struct Outcome {
    order::Timeline timeline;
    double seconds = 0;
    std::vector<int64_t> peakBytes; ///< by stage
  };
  Outcome run(const order::PipelineShape &shape, const order::Order &order) const;

  /// How many chunks of microbatches every stage, which has so many chunks, can keep live in
  /// `memory` bytes; below 1 if not even one.
  int64_t getLiveLimit(int chunks, int64_t memory) const;
};

/// Prices the stages of `module`, at the stage `stages`, of a step of `shape`. `cluster` is
/// complete and has a device for each rank of all stages.
PipelinePrice pricePipeline(llvm::ArrayRef<mlir::ModuleOp> stages,
                            const order::PipelineShape &shape, const abi::Cluster &cluster,
                            const PriceOptions &options = {});

} // namespace pcc::plan
