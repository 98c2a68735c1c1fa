// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attentions around which heads are exchanged with positions, so that their instructions can
// include the transposes. Query, key and value come from such transposes, and the result goes to
// one. For a gradient, this also holds for the result's gradient and the three computed gradients.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::analysis {

/// Permutation that exchanges heads with positions.
inline constexpr int64_t headsWithPositions[] = {0, 2, 1, 3};

/// Returns the op if it exchanges heads with positions and no instruction includes it yet
/// (dialects/task/EpilogueAttrs.h); else null.
graph::TransposeOp asHeadTranspose(mlir::Operation *op);

/// Returns a transpose of heads that reads the value; null if there is none.
graph::TransposeOp headTransposeAfter(mlir::Value value);

/// Returns whether all operands and results of the attention pass through such transposes. The
/// result may be read by one transpose, and by gradients for which this also holds.
bool usesHeadTransposes(graph::AttentionOp op);

/// Returns the same for a gradient, except for the attention's result, which the gradient reads
/// directly.
bool usesHeadTransposes(graph::AttentionGradientOp op);

} // namespace pcc::analysis
