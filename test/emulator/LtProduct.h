// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulated library of matrix products keeps of descriptors, and how it multiplies: on the
// host, in doubles, when the product's turn comes on its stream.
#pragma once

#include "runtime/device/cuda/library/CublasLt.h"
#include "test/emulator/GpuWork.h"

namespace pcc::runtime::cuda::lt {

struct HandleObject {};

struct MatmulDescObject {
  ComputeType compute;
  DataType scale;
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = uint32_t(Epilogue::None);
  std::byte *bias = nullptr, *aux = nullptr;
  int64_t auxLeadingDimension = 0, auxStride = 0;
};

struct MatrixLayoutObject {
  DataType type;
  uint64_t rows, columns;
  int64_t leadingDimension;
  int32_t batch = 1;
  int64_t stride = 0;
};

struct PreferenceObject {
  uint64_t workspaceBytes = 0;
  uint32_t reductionSchemes = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

} // namespace pcc::runtime::cuda::lt

namespace pcc::test {

/// D = epilogue(alpha · op(A) op(B) + beta · C).
struct LtProduct {
  runtime::cuda::lt::MatmulDescObject desc;
  runtime::cuda::lt::MatrixLayoutObject a, b, c, d;

  /// What NVIDIA's documentation says of descriptors that do not fit, or are not done.
  runtime::cuda::lt::LtStatus check() const;
  /// A number that differs where sizes, types or the epilogue do.
  uint64_t fingerprint() const;
};

/// A product with its operands.
struct LtCall {
  LtProduct product;
  float alpha, beta;
  std::byte *a, *b, *c, *d;

  std::vector<GpuBytes> touched() const;
  void run() const;
};

} // namespace pcc::test
