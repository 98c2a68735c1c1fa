// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this room; Passes.td says what each does.
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

/// The passes with one who watches: what was found, before the program is marked by it.
std::unique_ptr<mlir::Pass>
createStrategyRecursive(StrategyRecursiveOptions options,
                        std::function<void(const RecursiveOutcome &)> observe);
std::unique_ptr<mlir::Pass>
createStrategySearchByMemory(StrategySearchByMemoryOptions options,
                             std::function<void(const MemoryOutcome &)> observe);

#define GEN_PASS_REGISTRATION
#include "passes/strategy/Passes.h.inc"

} // namespace pcc::strategy
