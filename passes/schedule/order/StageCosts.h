// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of pipeline stages as an annotation. An earlier pass, which knows the machine, estimates
// them; OrderActions orders the actions by them and removes the annotation.
//
//   module attributes {pipe.stage_costs = {latency = 1.0e-5 : f64, live_limit = 4 : i64,
//                                          overlap = 0.0 : f64, times = [F0, B0, W0, F1, …]}}
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/order/Pipeline.h"
#include <optional>

namespace pcc::schedule {

/// Execution times of stages, and the number of live microbatches of virtual stages that fit in
/// memory.
struct StageCosts {
  order::PipelineTimes times;
  int64_t liveLimit = 0; ///< 0: as many as all stages have virtual stages
};

/// Annotates `module`, which contains the modules of the stages.
void annotateStageCosts(mlir::ModuleOp module, const StageCosts &costs);

/// Removes the annotation and returns its costs, or nothing if there is none. Emits an error and
/// fails unless the annotation is complete and has three times for each of `stages` virtual stages.
mlir::FailureOr<std::optional<StageCosts>> takeStageCosts(mlir::ModuleOp module, size_t stages);

} // namespace pcc::schedule
