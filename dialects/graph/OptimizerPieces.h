// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes optimizer steps into core ops. LAMB is decomposed for the whole tensor and for one
// rank's block, whose norms are those of all blocks together.
#pragma once

#include "dialects/graph/PieceBuilder.h"

namespace pcc::graph {

Pieces decompose(SgdOp op, PieceBuilder &builder);
Pieces decompose(MomentumOp op, PieceBuilder &builder);
Pieces decompose(AdamOp op, PieceBuilder &builder);
Pieces decompose(AdamWeightDecayOp op, PieceBuilder &builder);
Pieces decompose(AdagradOp op, PieceBuilder &builder);
Pieces decompose(LambOp op, PieceBuilder &builder);

/// Extends a sum over one block, a scalar of f32, to the sum over the whole tensor.
using SumBlocks = llvm::function_ref<mlir::Value(mlir::Value)>;

/// Decomposes `op` on `operands`, which are blocks of its own operands.
Pieces buildLamb(LambOp op, mlir::ValueRange operands, PieceBuilder &builder, SumBlocks sumBlocks);

} // namespace pcc::graph
