// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of losses that are sums or means over samples. A rank's part is the sum over its own
// samples and its own classes; a sample's label is one class. A mean is divided by the number of
// samples on all ranks. The result is a partial sum of one number.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachLossForms(mlir::MLIRContext *context);

} // namespace pcc::partition
