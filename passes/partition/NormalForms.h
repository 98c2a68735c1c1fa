// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of normal forms by mean and variance, split where their statistics are taken. Blocks
// are equal, so with n elements in all
//
//   mean = all_reduce sum (Σ x) / n    variance = all_reduce sum (Σ (x - mean)²) / n
//
// on every rank: two all-reduces of one number for each mean (root mean square: the second alone).
// The deviations are taken from the mean of all ranks. Sums of x and x² would go around at once,
// but their difference has no correct digit left where the mean is much larger than the deviations.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches them; called when the graph dialect is loaded.
void attachNormalForms(mlir::MLIRContext *context);

} // namespace pcc::partition
