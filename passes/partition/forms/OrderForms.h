// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of top_k, argmax and argmin along a split axis. Each rank finds the best of its own
// block. All ranks gather these few candidates with their numbers in the whole, and find the best
// of them.
//
//   top_k of 2 among 8 on 2 ranks    rank 0: 3 9 1 9    rank 1: 4 9 7 2
//   the best of each block           9 9 (1, 3)         9 7 (5, 6)
//   gathered, the best of them       9 9 9 7 (1, 3, 5, 6): 9 9 (1, 3)
//
// Candidates lie in the order of their blocks, and equal candidates of a block in the order of
// their numbers. Among equal elements the result is thus the same one as from the whole.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachOrderForms(mlir::MLIRContext *context);

} // namespace pcc::partition
