// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this room; Passes.td says what each does.
#pragma once

#include "compiler/plan/MeshChoice.h"
#include "compiler/plan/RecomputeParts.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Pass/Pass.h"
#include "passes/solve/order/Pipeline.h"

namespace pcc::plan {

#define GEN_PASS_DECL
#include "compiler/plan/Passes.h.inc"

/// Called with the candidates of a search, best first.
using SearchObserver = std::function<void(llvm::ArrayRef<MeshCandidate>)>;

/// The pass with one who watches.
std::unique_ptr<mlir::Pass> createPlanAutoParallel(PlanAutoParallelOptions options,
                                                   SearchObserver observe);

/// The pass with one who is called if no stages fit.
std::unique_ptr<mlir::Pass> createPlanFindStages(PlanFindStagesOptions options,
                                                 std::function<void()> observeNone);

/// Called with the parts of a model that may be computed again.
using PartsObserver = std::function<void(llvm::ArrayRef<RecomputePart>)>;

/// The pass with one who watches.
std::unique_ptr<mlir::Pass> createPlanMarkRecomputed(PlanMarkRecomputedOptions options,
                                                     PartsObserver observe);

#define GEN_PASS_REGISTRATION
#include "compiler/plan/Passes.h.inc"

} // namespace pcc::plan
