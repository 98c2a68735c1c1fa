// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this room; Passes.td says what each does.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc::partition {

#define GEN_PASS_DECL
#include "passes/partition/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/partition/Passes.h.inc"

} // namespace pcc::partition
