// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of attention and its gradient for split positions of the query: a block of a sequence
// sees all keys. A causal attention is given the offset at which the block begins. In the gradient,
// a block of positions, or some heads of a group, give partial sums for key and value. The query's
// gradient belongs to the block alone.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms; called when the graph dialect is loaded.
void attachAttentionForms(mlir::MLIRContext *context);

} // namespace pcc::partition
