// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of this room; Passes.td describes each.
#pragma once

#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/solve/buckets/BucketProblem.h"
#include "passes/solve/order/Pipeline.h"
#include <functional>

namespace pcc::schedule {

#define GEN_PASS_DECL
#include "passes/schedule/Passes.h.inc"

/// Execution times of stages, and the number of live microbatches of virtual stages that fit in
/// memory.
struct StageCosts {
  order::PipelineTimes times;
  int64_t liveLimit = 0; ///< 0: as many as all stages have virtual stages
};
using StageCostModel = std::function<StageCosts(llvm::ArrayRef<mlir::ModuleOp> stages,
                                                const order::PipelineShape &shape)>;

/// Creates the pass with a cost model of the machine.
std::unique_ptr<mlir::Pass> createOrderActions(OrderActionsOptions options,
                                               StageCostModel costModel);

/// Decision about a group of collectives that could be fused.
struct FusionOutcome {
  llvm::StringRef section;
  mlir::Operation *op; ///< one op of the group
  const buckets::BucketProblem &problem;
  const buckets::Buckets &buckets;
};
using FusionObserver = std::function<void(const FusionOutcome &)>;

/// Creates the pass with an observer of its decisions.
std::unique_ptr<mlir::Pass> createFuseCollectives(FuseCollectivesOptions options,
                                                  FusionObserver observe);

#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

} // namespace pcc::schedule
