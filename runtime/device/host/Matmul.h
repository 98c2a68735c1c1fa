// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two ways of a matrix product on the host. Which one is chosen depends on its sizes and the
// CPU alone, and the cut of each on its sizes, so the bits of a product do not depend on the number
// of threads.
//
// * Library: oneDNN's matmul primitive, with bias, activation and accumulation as its
//   post-operations, on the whole team. Its ReLU makes 0 of a NaN. Of f32, on CPUs with AVX-512
//   alone: elsewhere its bits depend on the number of threads.
// * Small: oneDNN's sgemm, always on one thread, per block of rows or columns of a fixed size; the
//   team's threads take blocks. Bias and activation follow while the block is in the cache. It is
//   up to twice as fast where one extent is small.

#ifndef PCC_RUNTIME_DEVICE_HOST_MATMUL_H
#define PCC_RUNTIME_DEVICE_HOST_MATMUL_H

#include "runtime/device/host/OneDnn.h"
#include "runtime/device/host/Records.h"

namespace pcc::runtime::host {

/// A product with its addresses.
struct Product {
  abi::Matmul shape;
  std::byte *a;
  std::byte *b;
  std::byte *c;
  std::byte *bias; ///< null: none
};

/// Errors: Unavailable, if the library has no product of these types on this machine.
Expected<PreparedPointer> prepareLibraryMatmul(const Product &product, const OneDnn &dnn);
PreparedPointer prepareSmallMatmul(const Product &product, const OneDnn &dnn, const Team &team);

/// True for the products that prepareSmallMatmul is for.
bool isSmallMatmul(const abi::Matmul &shape);

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_MATMUL_H
