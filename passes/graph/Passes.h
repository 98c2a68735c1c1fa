// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from graph to graph; Passes.td describes each of them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc::graph {

#define GEN_PASS_DECL
#include "passes/graph/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"

} // namespace pcc::graph
