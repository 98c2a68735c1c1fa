// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local forms of ops whose program on one rank is more than the same op on blocks:
//
//   op                     where it is split  local form
//   constant               anywhere           the block of the value
//   iota                   along its axis     plus the offset of the block
//   reduce mean            along the mean     divided by the number of shards: a partial sum
//   softmax, log_softmax   along its axis     two small all-reduces (SoftmaxForms.cpp)
//   softmax_cross_entropy  over the classes   the same
//                          over the samples   by the count of all ranks: a partial sum
//   layer_norm, rms_norm   where it normalizes one or two small all-reduces
//   batch_norm             batch, positions   statistics of all ranks, by two small all-reduces
//   nll                    over the classes   labels relative to the block: a partial sum
//   nll, mse, sigmoid_…    over the samples   by the count of all ranks: a partial sum
//   attention              all positions      blocks of the key on a ring (RingAttention.cpp)
//                          positions of query a causal one by its offset (AttentionForms.cpp)
//   attention_gradient     the same, or heads partial sums for key and value
//   top_k, argmax, argmin  along the axis     the best of the ranks' best (OrderForms.cpp)
//   gather                 table along axis   rows that this rank holds, else zeros: a partial sum
//   scatter_add            rows along axis    indices relative to the block; others are dropped
//   one_hot                along its axis     indices relative to the block
//   conv2d, pooling        rows, columns      on blocks with their halos (WindowForms.cpp)
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

namespace pcc::partition {

/// Attaches the local forms to the ops of the graph dialect when it is loaded.
void registerLocalForms(mlir::DialectRegistry &registry);

/// Attach the local forms of one file each; called when the graph dialect is loaded.
void attachAttentionForms(mlir::MLIRContext *context);
void attachLossForms(mlir::MLIRContext *context);
void attachNormalizationForms(mlir::MLIRContext *context);
void attachOptimizerForms(mlir::MLIRContext *context);
void attachOrderForms(mlir::MLIRContext *context);
void attachSoftmaxForms(mlir::MLIRContext *context);
void attachWindowForms(mlir::MLIRContext *context);

/// Builds the results of a self-attention on this rank's blocks `operands`, by a ring of the ranks
/// along `axes`, which split the positions.
llvm::SmallVector<mlir::Value> buildRing(graph::AttentionOp op, const mlir::OpBuilder &builder,
                                         mlir::ValueRange operands, const dist::AxisList &axes);
/// The same for the gradients of query, key and value.
llvm::SmallVector<mlir::Value> buildRing(graph::AttentionGradientOp op,
                                         const mlir::OpBuilder &builder, mlir::ValueRange operands,
                                         const dist::AxisList &axes);

} // namespace pcc::partition
