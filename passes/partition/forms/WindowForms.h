// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of convolutions and pooling whose rows or columns are split: the op on a block with
// its halo (Halo.h). A gradient of the image belongs to the block with its halo, and goes back to
// the ranks that hold the rows. A gradient of a weight is a partial sum.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachWindowForms(mlir::MLIRContext *context);

} // namespace pcc::partition
