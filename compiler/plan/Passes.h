// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of this folder; Passes.td describes each.
#pragma once

#include "compiler/plan/choice/MeshChoice.h"
#include "compiler/plan/layers/RecomputeParts.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Pass/Pass.h"
#include "passes/solve/order/Pipeline.h"

namespace pcc::plan {

#define GEN_PASS_DECL
#include "compiler/plan/Passes.h.inc"

/// Called with the candidates of a search, best first.
using SearchObserver = std::function<void(llvm::ArrayRef<MeshCandidate>)>;

/// Creates the pass with an observer of the candidates.
std::unique_ptr<mlir::Pass> createPlanAutoParallel(PlanAutoParallelOptions options,
                                                   SearchObserver observe);

/// Creates the pass with a callback that runs if no stages fit.
std::unique_ptr<mlir::Pass> createPlanFindStages(PlanFindStagesOptions options,
                                                 std::function<void()> observeNone);

/// Called with the parts of a model that may be recomputed.
using PartsObserver = std::function<void(llvm::ArrayRef<RecomputePart>)>;

/// Creates the pass with an observer of the parts.
std::unique_ptr<mlir::Pass> createPlanAnnotateRecompute(PlanAnnotateRecomputeOptions options,
                                                        PartsObserver observe);

#define GEN_PASS_REGISTRATION
#include "compiler/plan/Passes.h.inc"

} // namespace pcc::plan
