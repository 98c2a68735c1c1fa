// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of top_k, argmax and argmin along an axis that is split: each rank finds the best of
// its own block, all ranks gather these few candidates with their numbers in the whole, and find
// the best of them.
//
//   top_k of 2 among 8 on 2 ranks    rank 0: 3 9 1 9    rank 1: 4 9 7 2
//   the best of each block           9 9 (1, 3)         9 7 (5, 6)
//   gathered, the best of them       9 9 9 7 (1, 3, 5, 6): 9 9 (1, 3)
//
// Candidates lie in the order of their blocks, and equal ones within a block in the order of their
// numbers: of equal elements the same one is taken as from the whole.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches them; called when the graph dialect is loaded.
void attachOrderForms(mlir::MLIRContext *context);

} // namespace pcc::partition
