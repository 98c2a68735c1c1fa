// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of backward and update ops. An op derived from the op NAME
// (passes/analysis/names/OpNames.h) is called NAME.grad, NAME.grad_weight, and so on. It keeps the
// op's location as its child, so that diagnostics still lead to the user's source.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace pcc::autodiff {

/// Returns the location of an op derived from `op`: NAME.suffix.
mlir::Location derivedLocation(mlir::Operation *op, llvm::StringRef suffix);

/// Returns the same for a value: named after its op, or after the role of the argument.
mlir::Location derivedLocation(mlir::Value value, llvm::StringRef suffix);

/// Numbers the ops from `first` to the end of its block that share a name. The last one keeps NAME,
/// because the last of a rule's ops yields the gradient. The ones before it become NAME.1, NAME.2,
/// …
void makeNamesUnique(mlir::Operation *first);

} // namespace pcc::autodiff
