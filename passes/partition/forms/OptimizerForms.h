// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of optimizer steps that read the whole parameter:
//
//   lamb      sharded over any dimensions      the norms from sums over all blocks
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachOptimizerForms(mlir::MLIRContext *context);

} // namespace pcc::partition
