// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes optimizer steps into core ops. LAMB is decomposed for the whole tensor and for one
// rank's block, whose norms are those of all blocks together.
#pragma once

#include "dialects/graph/decompose/DecompositionBuilder.h"

namespace pcc::graph {

Decomposition decompose(SgdOp op, DecompositionBuilder &builder);
Decomposition decompose(MomentumOp op, DecompositionBuilder &builder);
Decomposition decompose(AdamOp op, DecompositionBuilder &builder);
Decomposition decompose(AdamWeightDecayOp op, DecompositionBuilder &builder);
Decomposition decompose(AdagradOp op, DecompositionBuilder &builder);
Decomposition decompose(LambOp op, DecompositionBuilder &builder);

/// Extends a sum over one block, a scalar of f32, to the sum over the whole tensor.
using SumBlocks = llvm::function_ref<mlir::Value(mlir::Value)>;

/// Decomposes `op` on `operands`, which are blocks of its own operands.
Decomposition buildLamb(LambOp op, mlir::ValueRange operands, DecompositionBuilder &builder,
                        SumBlocks sumBlocks);

} // namespace pcc::graph
