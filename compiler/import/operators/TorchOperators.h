// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of torch that the nodes of a file describe inexactly, and the exporter's metadata name.
//
// The exporter writes one ONNX operator for several operators of torch that compute the same, but
// differentiate it otherwise:
//
//     ONNX             torch                  gradient
//     Max, Min         clamp to numbers       does not pass where an element equals a limit
//     Max, Min         maximum, minimum       is shared by equal operands
//     ReduceMax        max(dim)               goes to the first of equal elements
//     ReduceMax        amax, max of all       is shared by equal elements
//     Gather           embedding              none for the row of padding; may be scaled
//
// Attention with a mask of booleans hides keys by the least finite number. In torch they are minus
// infinity: a query that sees no key gets zeros, not the mean of the values.
//
// The running variance of a batch norm is unbiased in torch, and that of the population in ONNX.
// `label_smoothing` of cross_entropy is in the metadata only.
//
// A file without metadata is read as it is, with the gradients of docs/rationale/autodiff.md.
#pragma once

#include "compiler/import/emit/Node.h"

namespace pcc::import {

/// Returns whether the node, of two inputs, is part of a clamp whose limits are numbers.
bool isClampToNumbers(const Node &node);

/// Returns whether the node is a batch norm of torch, whose running variance is unbiased.
bool isTorchBatchNorm(const Node &node);

/// Returns whether the node returns one extremum along a dimension together with its index.
bool choosesOneExtremum(const Node &node);

/// Returns whether the node, a `Where`, hides keys of an attention by the least finite number.
bool hidesKeys(const Node &node);

/// Returns whether the node is a scatter of torch that takes the mean, which ONNX does not have.
/// The exporter writes another reduction.
bool isMeanOfScatter(const Node &node);

/// Returns the `label_smoothing` of the node, a cross entropy; 0 if there is none.
double findLabelSmoothing(const Node &node);

/// Gives a gather the gradient of torch's embedding. Emits an error for an EmbeddingBag with scaled
/// gradients.
mlir::LogicalResult setEmbeddingGradient(const Node &node, graph::GatherOp gather);

} // namespace pcc::import
