// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of the emulated matmul library, and its matmul: on the host, in doubles, when the
// matmul is due on its stream.
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

/// The descriptors of D = epilogue(alpha · op(A) op(B) + beta · C).
struct LtMatmul {
  runtime::cuda::lt::MatmulDescObject desc;
  runtime::cuda::lt::MatrixLayoutObject a, b, c, d;

  /// Returns the status that NVIDIA's documentation gives for unfit or unsupported descriptors.
  runtime::cuda::lt::LtStatus check() const;
  /// Returns a number that depends on sizes, types and epilogue.
  uint64_t fingerprint() const;
};

/// A matmul with its operands.
struct LtCall {
  LtMatmul product;
  float alpha, beta;
  std::byte *a, *b, *c, *d;

  std::vector<GpuBytes> touched() const;
  void run() const;
};

} // namespace pcc::test
