// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// Draws `module` in the DOT language of Graphviz. A function is a box; an op is a node with its
/// name, type and sharding; collectives are filled. Each edge shows the bytes of its value.
void drawModule(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace pcc
