// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this room; Passes.td says what each does.
#pragma once

#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc::autodiff {

#define GEN_PASS_DECL
#include "passes/autodiff/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/autodiff/Passes.h.inc"

} // namespace pcc::autodiff
