// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler, which writes kernels of any size for GPUs, and a device, which calls them,
// have to agree about besides the order of arguments (docs/spec/kernels.md).

#ifndef PCC_RUNTIME_ABI_SUPPORTKERNELS_H
#define PCC_RUNTIME_ABI_SUPPORTKERNELS_H

#include <algorithm>
#include <cstdint>

namespace pcc::abi {

/// The bits of the flags that come last among the numbers.
struct ProductFlag {
  static constexpr int64_t transposeA = 1, transposeB = 2, sharedB = 4, addToC = 8, relu = 16,
                           hasBias = 32, gelu = 64, geluGradient = 128, hasKept = 256, sumOfA = 512,
                           sumOfB = 1024;
};
struct ConvolutionFlag {
  static constexpr int64_t relu = 1, hasBias = 2;
};
struct AttentionFlag {
  static constexpr int64_t causal = 1, hasMask = 2, hasOffset = 4, positionsFirst = 8;
};

/// Threads of a block, and the most blocks of a grid whose threads have an element each and go on
/// one grid further.
inline constexpr int64_t supportThreads = 256, mostBlocksOfElements = 65535;
/// Of sums over slots: the elements of a block, which goes on one grid further as well.
inline constexpr int64_t elementsOfSumBlock = 1024, mostBlocksOfSum = 1024;

/// Rows of what gelu keeps for its derivative are a multiple of this, as cuBLASLt asks for.
inline constexpr int64_t elementsOfKeptRow = 8;

/// Of copies of boxes: dimensions that they have numbers for; those with fewer have sizes of 1
/// first.
inline constexpr int64_t mostBoxDims = 8;

/// The grid for so many elements.
inline int64_t blocksOfElements(int64_t count) {
  return std::min((count + supportThreads - 1) / supportThreads, mostBlocksOfElements);
}
inline int64_t blocksOfSum(int64_t count) {
  return std::min((count + elementsOfSumBlock - 1) / elementsOfSumBlock, mostBlocksOfSum);
}

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_SUPPORTKERNELS_H
