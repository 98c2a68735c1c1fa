// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values for the parameters of an imported module from a file of their own.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::import {

/// Gives every graph.parameter of `module` its value from the safetensors file `path`, by name,
/// and every piece its part of what it is a piece of.
/// Parameters that the file lacks, and tensors of another type, are errors that name them all;
/// tensors that belong to no parameter are named in a warning.
mlir::LogicalResult applyWeights(mlir::ModuleOp module, llvm::StringRef path);

} // namespace pcc::import
