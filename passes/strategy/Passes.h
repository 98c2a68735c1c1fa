// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of this room; Passes.td describes each.
#pragma once

#include "dialects/dist/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/strategy/SearchAlgorithm.h"
#include <functional>

namespace pcc::strategy {

#define GEN_PASS_DECL
#include "passes/strategy/Passes.h.inc"

struct RecursiveOutcome; // RecursiveStrategy.h
struct MemoryOutcome;    // MemorySearch.h

/// Creates the passes with an observer, which sees the outcome before the program is annotated.
std::unique_ptr<mlir::Pass>
createStrategyRecursive(StrategyRecursiveOptions options,
                        std::function<void(const RecursiveOutcome &)> observe);
std::unique_ptr<mlir::Pass>
createStrategySearchByMemory(StrategySearchByMemoryOptions options,
                             std::function<void(const MemoryOutcome &)> observe);

#define GEN_PASS_REGISTRATION
#include "passes/strategy/Passes.h.inc"

} // namespace pcc::strategy
