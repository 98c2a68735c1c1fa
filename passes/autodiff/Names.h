// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of backward and update ops. What is derived from the op NAME (passes/facts/OpNames.h) is
// called NAME.grad, NAME.grad_weight, …, and keeps the op's location as its child, so that
// diagnostics still lead to the user's source.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace pcc::autodiff {

/// The location of something derived from `op`: NAME.suffix.
mlir::Location derivedLocation(mlir::Operation *op, llvm::StringRef suffix);

/// The same for a value: named after its op, or after the role of the argument.
mlir::Location derivedLocation(mlir::Value value, llvm::StringRef suffix);

/// Numbers the ops from `first` to the end of its block that share a name: the last one keeps NAME,
/// the ones before it become NAME.1, NAME.2, … (the last of a rule's ops yields the gradient).
void makeNamesUnique(mlir::Operation *first);

} // namespace pcc::autodiff
