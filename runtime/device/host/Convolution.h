// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways of a convolution on the host. Which one is chosen depends on its sizes alone.
//
// * Winograd: oneDNN's F(4x4, 3x3) (Lavin and Gray: Fast Algorithms for Convolutional Neural
//   Networks, CVPR 2016), for windows of 3 by 3 in steps of one, where enough of them share the
//   transformed weight: a quarter of the multiplications, for some ten times the rounding of a
//   direct sum. A NaN or an infinity spreads to the 4 by 4 results beside it.
// * Products: all windows side by side as a matrix, times the weight as it lies, by oneDNN's sgemm
//   on one thread per block. It copies windows where the library's own convolutions copy the weight
//   into their layouts, so it is for a part of a batch that has fewer windows than output channels.
// * Direct: oneDNN's sums in its own layouts, for all others.

#ifndef PCC_RUNTIME_DEVICE_HOST_CONVOLUTION_H
#define PCC_RUNTIME_DEVICE_HOST_CONVOLUTION_H

#include "runtime/device/host/OneDnn.h"
#include "runtime/device/host/Records.h"

namespace pcc::runtime::host {

/// Winograd's algorithm where `winograd` is set and the library has it, else direct sums. Errors:
/// Unavailable, if the library has no such convolution on this machine; no memory for `scratch`.
Expected<PreparedPointer> prepareLibraryConvolution(const abi::Convolution &convolution,
                                                    const PrepareContext &context,
                                                    const OneDnn &dnn, bool winograd,
                                                    std::shared_ptr<Scratch> scratch);

/// For F32 without groups. Errors: no memory for `scratch`.
Expected<PreparedPointer> prepareProductConvolution(const abi::Convolution &convolution,
                                                    const PrepareContext &context,
                                                    const OneDnn &dnn, const Team &team,
                                                    std::shared_ptr<Scratch> scratch);

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_CONVOLUTION_H
