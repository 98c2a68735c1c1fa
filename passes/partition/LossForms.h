// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of losses that are sums or means over samples: a rank's part is the sum over its own
// samples (and its own classes, of which a sample's label is one), a mean divided by the number of
// samples on all ranks. What is left is a partial sum of one number.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches them; called when the graph dialect is loaded.
void attachLossForms(mlir::MLIRContext *context);

} // namespace pcc::partition
