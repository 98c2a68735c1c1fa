// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmaxes between two matmuls that are no attention, with the reasons.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

struct MissedAttention {
  SoftmaxOp softmax;
  std::string reason;
};

/// Finds all of them inside `op`, in program order.
llvm::SmallVector<MissedAttention> findMissedAttentions(mlir::Operation *op);

} // namespace pcc::graph
