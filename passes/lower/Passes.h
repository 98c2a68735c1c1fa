// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that lower scheduled sections to a task program.
#pragma once

#include "dialects/graph/Graph.h"
#include "dialects/task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc::lower {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/lower/Passes.h.inc"

inline void registerLowerPasses() { registerPccLowerPasses(); }
} // namespace pcc::lower
