// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the graphs of cuDNN that run instructions: convolutions and attention.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

//===-- CudnnConvolution.cpp ------------------------------------------------------------------===//

/// Returns cuDNN's number of a type that instructions may have.
DataType dataTypeOf(abi::ElementType type);

/// The identifiers of a convolution's tensors.
struct ConvolutionTensor {
  static constexpr int64_t input = 1, weight = 2, result = 3, bias = 4;
};

/// Returns the graph of an instruction's convolution with bias and activation, or of its gradient.
/// Sums are in f32.
Graph convolutionGraph(const Cudnn &library, const abi::Convolution &convolution);

//===-- CudnnAttention.cpp --------------------------------------------------------------------===//

// Builds attention as cuDNN graphs, in the patterns that cuDNN's engines run without storing the
// scores in memory (NVIDIA's documentation of the fused attention patterns):
//
//   scores = scale · query keyᵀ [+ mask], with causality -∞ where key position j > i + offset
//   forward     result = exp(scores - max) / sum · value, log_sum = max + log(sum)
//   gradient    weights = exp(scores - log_sum), mean = Σ given · result, over the width
//               ofScores = (given valueᵀ - mean) · weights · scale
//               value' = weightsᵀ given, key' = ofScoresᵀ query, query' = ofScores key
//
// `i` is the query position, and offset = key positions - query positions. `given` is the gradient
// of the result, x' the gradient of x, and ofScores the gradient of query keyᵀ. FlashAttention
// calls `mean` delta. cuDNN calls log_sum the statistics of the softmax: the natural logarithm of
// the sum of the exponentials of the scores.

/// The identifiers of an attention's tensors. `mean` lies in the workspace of the gradient: F32,
/// one element per row. Identifiers from `scale` on are host scalars; `hidden` is -∞.
struct AttentionTensor {
  static constexpr int64_t query = 1, key = 2, value = 3, mask = 4, result = 5, logSum = 6,
                           given = 7, ofQuery = 8, ofKey = 9, ofValue = 10, mean = 11, scale = 20,
                           one = 21, hidden = 22, positions = 23, keyPositions = 24;
};

/// Returns whether the library's patterns can express the instruction. Required are half types and
/// no operand `offset`. No row may be hidden completely, by causality or by a mask with one element
/// for all keys: pcc defines the result of such a row as zero, and the patterns give NaN. A mask
/// with an element for each key is not looked at.
bool isExpressible(const abi::Attention &attention);

/// Returns the graph of an expressible instruction.
Graph attentionGraph(const Cudnn &library, const abi::Attention &attention);

} // namespace pcc::runtime::cuda::dnn
