// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this room; Passes.td says what each does.
#pragma once

#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/solve/fusion/FusionProblem.h"
#include "passes/solve/order/Pipeline.h"
#include <functional>

namespace pcc::schedule {

#define GEN_PASS_DECL
#include "passes/schedule/Passes.h.inc"

/// What the work of stages takes, and how many chunks of microbatches each has memory for.
struct StagePrices {
  order::PipelineTimes times;
  int64_t liveLimit = 0; ///< 0: as many as all stages have chunks
};
using StagePricer = std::function<StagePrices(llvm::ArrayRef<mlir::ModuleOp> stages,
                                              const order::PipelineShape &shape)>;

/// The pass with times from someone who knows the machine.
std::unique_ptr<mlir::Pass> createOrderSlots(OrderSlotsOptions options, StagePricer price);

/// What was decided about a group of collectives that could share messages.
struct FusionOutcome {
  llvm::StringRef section;
  mlir::Operation *op; ///< one of them
  const fusion::FusionProblem &problem;
  const fusion::Buckets &buckets;
};
using FusionObserver = std::function<void(const FusionOutcome &)>;

/// The pass with one who watches.
std::unique_ptr<mlir::Pass> createFuseCollectives(FuseCollectivesOptions options,
                                                  FusionObserver observe);

#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

} // namespace pcc::schedule
