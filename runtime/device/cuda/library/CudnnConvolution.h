// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds convolutions as cuDNN graphs.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

/// Returns cuDNN's number of a type that instructions may have.
DataType dataTypeOf(abi::ElementType type);

/// The identifiers of a convolution's tensors.
struct ConvolutionTensor {
  static constexpr int64_t input = 1, weight = 2, result = 3, bias = 4;
};

/// Returns the graph of an instruction's convolution with bias and activation, or of its gradient.
/// Sums are in f32.
Graph convolutionGraph(const Cudnn &library, const abi::Convolution &convolution);

} // namespace pcc::runtime::cuda::dnn
