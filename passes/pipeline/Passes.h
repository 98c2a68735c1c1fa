// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this room; Passes.td says what each does.
#pragma once

#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/solve/order/Pipeline.h"

namespace pcc::pipeline {

#define GEN_PASS_DECL
#include "passes/pipeline/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/pipeline/Passes.h.inc"

} // namespace pcc::pipeline
