// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of this room; Passes.td describes each.
#pragma once

#include "dialects/dist/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/strategy/SearchAlgorithm.h"
#include "runtime/abi/cluster.pb.h"

namespace pcc::strategy {

#define GEN_PASS_DECL
#include "passes/strategy/Passes.h.inc"

struct RecursiveOutcome; // RecursiveStrategy.h
struct MemoryOutcome;    // MemorySearch.h

/// Do what the passes of these names do, and return the outcome for a report. `cluster` must have a
/// device for each rank and outlive the outcome; only the cost model `roofline` reads it.
mlir::FailureOr<RecursiveOutcome> runRecursive(mlir::ModuleOp module,
                                               const StrategyRecursiveOptions &options,
                                               const abi::Cluster &cluster);
mlir::FailureOr<MemoryOutcome> runSearchByMemory(mlir::ModuleOp module,
                                                 const StrategySearchByMemoryOptions &options);

#define GEN_PASS_REGISTRATION
#include "passes/strategy/Passes.h.inc"

} // namespace pcc::strategy
