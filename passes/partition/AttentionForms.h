// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of attention and its gradient, where the positions of the query are split: a block of
// a sequence that sees all keys. A causal attention is then given the offset at which the block
// begins. In the gradient, what a block of positions, or some heads of a group, give to key and
// value is a partial sum; the query's gradient is the block's own.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches them; called when the graph dialect is loaded.
void attachAttentionForms(mlir::MLIRContext *context);

} // namespace pcc::partition
