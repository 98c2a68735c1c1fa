// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that decide what runs together, in which order, and where values lie. They only annotate.
#pragma once

#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc::schedule {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

inline void registerSchedulePasses() { registerPccSchedulePasses(); }
} // namespace pcc::schedule
