// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two algorithms of a matmul on the host. The choice depends only on its sizes and the CPU, and
// the blocking only on its sizes. So the bits do not depend on the number of threads.
// * Library: oneDNN's matmul primitive, with bias, activation and accumulation as post-operations,
//   on the whole team. Its ReLU turns a NaN into 0. It is used for f32 only on CPUs with AVX-512:
//   elsewhere its bits depend on the number of threads.
// * Blocked: oneDNN's sgemm, always on one thread, per block of rows or columns of a fixed size.
//   The team's threads take blocks. Bias and activation follow while the block is in the cache. It
//   is up to twice as fast if one extent is small.

#pragma once

#include "runtime/device/host/Instructions.h"
#include "runtime/device/host/OneDnn.h"

namespace pcc::runtime::host {

/// A matmul with its addresses.
struct MatmulCall {
  abi::Matmul shape;
  std::byte *a;
  std::byte *b;
  std::byte *c;
  std::byte *bias; ///< null: none
};

/// Errors: Unavailable if the library has no matmul of these types on this machine.
Expected<PreparedPointer> prepareLibraryMatmul(const MatmulCall &matmulCall, const OneDnn &dnn);
PreparedPointer prepareBlockedMatmul(const MatmulCall &matmulCall, const OneDnn &dnn,
                                     const Team &team);

/// Returns whether the matmul is of f32 and has a small extent, for which prepareBlockedMatmul is
/// faster.
bool isSmallMatmul(const abi::Matmul &shape);

} // namespace pcc::runtime::host
