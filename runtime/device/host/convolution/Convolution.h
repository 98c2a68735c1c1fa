// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms of a convolution on the host. The choice depends only on the sizes.
// * Winograd: oneDNN's F(4x4, 3x3) (Lavin and Gray: Fast Algorithms for Convolutional Neural
//   Networks, CVPR 2016). It is used for windows of 3 by 3 with stride and padding one, if enough
//   windows share the transformed weight. It needs a quarter of the multiplications, with about ten
//   times the rounding error of a direct sum. A NaN or an infinity spreads to the 4 by 4 results
//   around it.
// * Matmul: a matrix of all windows (im2col) times the weight in place, by oneDNN's sgemm on one
//   thread per block. It copies windows, where the library's own convolutions copy the weight into
//   their layouts. So it is used for a part of a batch with fewer windows than output channels.
// * Direct: oneDNN's sums in its own layouts, for all others.

#pragma once

#include "runtime/device/host/Instructions.h"
#include "runtime/device/host/OneDnn.h"

namespace pcc::runtime::host {

/// Uses Winograd's algorithm if `winograd` is set and the library has it, else direct sums. Errors:
/// Unavailable if the library has no such convolution on this machine; no memory for `scratch`.
Expected<PreparedPointer> prepareLibraryConvolution(const abi::Convolution &convolution,
                                                    const PrepareContext &context,
                                                    const OneDnn &dnn, bool winograd,
                                                    std::shared_ptr<Scratch> scratch);

/// Prepares a convolution of F32 without groups. Errors: no memory for `scratch`.
Expected<PreparedPointer> prepareMatmulConvolution(const abi::Convolution &convolution,
                                                   const PrepareContext &context, const OneDnn &dnn,
                                                   const Team &team,
                                                   std::shared_ptr<Scratch> scratch);

} // namespace pcc::runtime::host
