// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conventions between the compiler, which writes GPU support kernels for any size, and the device
// that calls them. docs/spec/kernels.md defines the order of arguments.

#pragma once

#include <algorithm>
#include <cstdint>

namespace pcc::abi {

/// Bits of the flags argument, the last integer argument of a support kernel.
struct MatmulFlag {
  static constexpr int64_t transposeA = 1, transposeB = 2, sharedB = 4, addToC = 8, relu = 16,
                           hasBias = 32, gelu = 64, geluGradient = 128, hasPreActivation = 256,
                           sumOfA = 512, sumOfB = 1024;
};
struct ConvolutionFlag {
  static constexpr int64_t relu = 1, hasBias = 2;
};
struct AttentionFlag {
  static constexpr int64_t causal = 1, hasMask = 2, hasOffset = 4, positionsFirst = 8;
};

/// Threads per block, and the maximum number of blocks if each thread starts with one element. The
/// threads then advance by one grid.
inline constexpr int64_t supportThreads = 256, maxElementBlocks = 65535;
/// Elements per block of a sum over actions, and the maximum number of its blocks, which also
/// advance by one grid.
inline constexpr int64_t elementsPerSumBlock = 1024, maxSumBlocks = 1024;

/// Alignment in elements of the rows of a saved GELU pre-activation, as cuBLASLt requires.
inline constexpr int64_t preActivationAlignment = 8;

/// Maximum number of dimensions of a box copy. Boxes with fewer dimensions have leading sizes of 1.
inline constexpr int64_t maxBoxDims = 8;

/// Returns the number of blocks for `count` elements.
inline int64_t numElementBlocks(int64_t count) {
  return std::min((count + supportThreads - 1) / supportThreads, maxElementBlocks);
}
inline int64_t numSumBlocks(int64_t count) {
  return std::min((count + elementsPerSumBlock - 1) / elementsPerSumBlock, maxSumBlocks);
}

} // namespace pcc::abi
