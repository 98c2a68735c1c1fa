// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of convolutions and pooling whose rows or columns are split: the op on a block with
// its halo (Halo.h). A gradient of the image is one of the block with its halo, and goes back to
// the ranks that hold the rows; that of a weight is a partial sum.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches them; called when the graph dialect is loaded.
void attachWindowForms(mlir::MLIRContext *context);

} // namespace pcc::partition
