// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as graphs of cuDNN.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNCONVOLUTION_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNCONVOLUTION_H

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/library/CudnnGraph.h"

namespace pcc::runtime::cuda::dnn {

/// The number of a type there; of the types that records have.
DataType dataTypeOf(abi::ElementType type);

/// The numbers of a convolution's tensors.
struct ConvolutionTensor {
  static constexpr int64_t input = 1, weight = 2, result = 3, bias = 4;
};

/// The convolution of a record, with its bias and activation, or its gradient. Sums are in f32.
Graph convolutionGraph(const Cudnn &library, const abi::Convolution &convolution);

} // namespace pcc::runtime::cuda::dnn

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNCONVOLUTION_H
