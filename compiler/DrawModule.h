// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Draws `module` in Graphviz's language: a box per function, a node per op with its name, type and
/// sharding, collectives filled, and on every edge the bytes of the value.
void drawModule(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace pcc
