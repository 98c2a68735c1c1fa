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

/// How a search relates its work to the clock, as in CompileOptions (compiler/Compile.h).
struct SearchPace {
  double slowdown = 1;
  std::function<void(double seconds, bool isCutOff)> countWork = {};
};

/// Does what the pass does, and returns the candidates for a report, best first. `cluster` must
/// have a device for each rank and outlive the candidates.
mlir::FailureOr<std::vector<MeshCandidate>> runAutoParallel(mlir::ModuleOp module,
                                                            const PlanAutoParallelOptions &options,
                                                            const abi::Cluster &cluster,
                                                            const SearchPace &pace = {});

/// Name of the module attribute (unit) that a failed pass leaves if there is no plan: no pipeline
/// stages or no shardings fit into memory.
inline constexpr llvm::StringLiteral infeasibleAttrName = "pcc.infeasible";

/// Name of the module attribute in which AnnotateRecompute lists the seconds to recompute each part
/// of the model (array of f64).
inline constexpr llvm::StringLiteral partSecondsAttrName = "pcc.recompute_seconds";

#define GEN_PASS_REGISTRATION
#include "compiler/plan/Passes.h.inc"

} // namespace pcc::plan
