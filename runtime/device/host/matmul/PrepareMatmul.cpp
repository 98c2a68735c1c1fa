// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul of f32 uses the blocked algorithm if an extent is at most 32. On CPUs without AVX-512 it
// always does. GELU and sums of operands are rejected, since only GPUs have them.

#include "runtime/device/host/matmul/Matmul.h"

#include <algorithm>

namespace pcc::runtime::host {

/// Returns whether oneDNN's matmul primitive gives the same bits on any number of threads. It does
/// with AVX-512. On other CPUs it calls sgemm, which cuts sums by threads.
static bool libraryKeepsBits() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static bool isOfFloats(const abi::Matmul &shape) {
  return shape.type() == abi::F32 && shape.result_type() == abi::F32;
}

bool isSmallMatmul(const abi::Matmul &shape) {
  constexpr int64_t small = 32;
  return isOfFloats(shape) && std::min({shape.m(), shape.n(), shape.k()}) <= small;
}

Expected<PreparedPointer> prepareMatmul(const abi::Matmul &matmul, const PrepareContext &context,
                                        const Team &team) {
  bool isPlain = matmul.activation() == abi::ACTIVATION_NONE || matmul.activation() == abi::RELU;
  if (!isPlain || matmul.has_sum_of_a() || matmul.has_sum_of_b())
    return Status::unavailable("a matmul with gelu or the sum of an operand is for GPUs");
  const Expected<OneDnn> &dnn = OneDnn::get();
  if (!dnn)
    return dnn.status();
  auto address = [&](const abi::Operand &operand) {
    return context.memory.address(context.program, operand);
  };
  MatmulCall matmulCall{matmul, address(matmul.a()), address(matmul.b()), address(matmul.c()),
                        matmul.has_bias() ? address(matmul.bias()) : nullptr};
  if (isSmallMatmul(matmul) || (isOfFloats(matmul) && !libraryKeepsBits()))
    return prepareBlockedMatmul(matmulCall, *dnn, team);
  return prepareLibraryMatmul(matmulCall, *dnn);
}

} // namespace pcc::runtime::host
