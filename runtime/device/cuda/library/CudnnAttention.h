// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as graphs of cuDNN, in the form of which its engines know that they need not have the
// scores in memory (NVIDIA's documentation of the fused attention patterns):
//
//   scores = scale · query keyᵀ [+ mask], -∞ where position j of the key lies behind i + offset
//   forward     result = exp(scores - max) / sum · value, log_sum = max + log(sum)
//   gradient    weights = exp(scores - log_sum), mean = Σ given · result
//               ofScores = (given valueᵀ - mean) · weights · scale
//               value' = weightsᵀ given, key' = ofScoresᵀ query, query' = ofScores key
//
// log_sum is what cuDNN calls the statistics of the softmax: the natural logarithm of the sum of
// the exponentials of the scaled scores.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNATTENTION_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNATTENTION_H

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

/// The numbers of an attention's tensors. `mean` is for the gradient's own use, F32, one for each
/// row; those from `scale` on are numbers of the host.
struct AttentionTensor {
  static constexpr int64_t query = 1, key = 2, value = 3, mask = 4, result = 5, logSum = 6,
                           given = 7, ofQuery = 8, ofKey = 9, ofValue = 10, mean = 11, scale = 20,
                           one = 21, hidden = 22, positions = 23, keyPositions = 24;
};

/// Whether the library's patterns say what the record says: half types; no offset that a program
/// computes; no rows that the form of the attention or its mask leaves without anything to see,
/// whose result is zero here.
bool isExpressible(const abi::Attention &attention);

/// The graph of an expressible record.
Graph attentionGraph(const Cudnn &library, const abi::Attention &attention);

} // namespace pcc::runtime::cuda::dnn

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNATTENTION_H
