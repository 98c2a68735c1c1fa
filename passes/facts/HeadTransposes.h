// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attentions around which heads are exchanged with positions, so that their records can go through
// the transposes: query, key and value come from such, and the result goes to one. Of a gradient,
// the result's gradient as well, and the three that it gives.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::facts {

/// What exchanges heads with positions.
inline constexpr int64_t headsWithPositions[] = {0, 2, 1, 3};

/// The op, if it exchanges heads with positions and is in no record yet (dialects/task/Products.h);
/// else null.
graph::TransposeOp asHeadTranspose(mlir::Operation *op);

/// A transpose of heads that reads the value; null if there is none.
graph::TransposeOp headTransposeBehind(mlir::Value value);

/// Whether all of the attention comes and goes by such transposes. The result may be read by one,
/// and by gradients of which that is so too.
bool goesByHeadTransposes(graph::AttentionOp op);

/// The same of a gradient, but for the attention's result, which it reads.
bool goesByHeadTransposes(graph::AttentionGradientOp op);

} // namespace pcc::facts
