// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function arguments behind a value.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::analysis {

/// Returns the function arguments from which `value` is computed, itself if it is one.
llvm::SmallSetVector<mlir::BlockArgument, 8> findSources(mlir::Value value);

} // namespace pcc::analysis
