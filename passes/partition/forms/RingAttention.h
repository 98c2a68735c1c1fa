// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of a self-attention whose positions are split: blocks of key and value travel around
// a ring of ranks, while each rank attends to the block that it holds (Liu et al.: Ring Attention
// with Blockwise Transformers, ICLR 2024).
//
//   step  rank 0  rank 1  rank 2      rank r holds the key's block r - step
//   0     k0 v0   k1 v1   k2 v2
//   1     k2 v2   k0 v0   k1 v1
//   2     k1 v1   k2 v2   k0 v0
//
// A causal attention of contiguous blocks would leave rank 0 with one visible block and the last
// rank with all of them. So blocks are first exchanged for two halves each, of which rank r of n
// has numbers r and 2n - 1 - r. Then all ranks see equally much in each step.
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/graph/Graph.h"

namespace pcc::partition {

/// Builds the results of `op` on this rank's blocks `operands`. `axes` split the positions.
llvm::SmallVector<mlir::Value> buildRing(graph::AttentionOp op, const mlir::OpBuilder &builder,
                                         mlir::ValueRange operands, const dist::AxisList &axes);
/// The same for the gradients of query, key and value. The sums for key and value travel with their
/// blocks, and are then sent to the block's rank.
llvm::SmallVector<mlir::Value> buildRing(graph::AttentionGradientOp op,
                                         const mlir::OpBuilder &builder, mlir::ValueRange operands,
                                         const dist::AxisList &axes);

} // namespace pcc::partition
