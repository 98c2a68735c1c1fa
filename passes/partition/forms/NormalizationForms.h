// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of normalizations by mean and variance, split where their statistics are taken.
// Blocks are equal, so with n elements in all
//
//   mean = all_reduce sum (Σ x) / n    variance = all_reduce sum (Σ (x - mean)²) / n
//
// on every rank: two all-reduces of one number for each mean (root mean square: only the second
// one). The deviations are taken from the mean of all ranks. Sums of x and x² would need only one
// all-reduce. But their difference has no correct digit left if the mean is much larger than the
// deviations.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachNormalizationForms(mlir::MLIRContext *context);

} // namespace pcc::partition
