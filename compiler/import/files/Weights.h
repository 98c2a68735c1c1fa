// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values for the parameters of an imported module from a separate file.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pcc::import {

/// Sets every graph.parameter of `module` from the safetensors file `path`, by name. A parameter
/// that was split from another gets its part of the tensor. Parameters that the file lacks, and
/// tensors of another type, are errors that list all names. Tensors that belong to no parameter are
/// listed in a warning.
mlir::LogicalResult applyWeights(mlir::ModuleOp module, llvm::StringRef path);

} // namespace pcc::import
