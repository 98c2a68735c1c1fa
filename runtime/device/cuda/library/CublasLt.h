// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NVIDIA's cuBLASLt matmul library that pcc uses, declared here like the driver
// (Driver.h). CublasLtHeaderTest compares these declarations with the real header, if there is one.

#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <span>

namespace pcc::runtime::cuda::lt {

using Handle = struct HandleObject *;
using MatmulDesc = struct MatmulDescObject *;
using MatrixLayout = struct MatrixLayoutObject *;
using Preference = struct PreferenceObject *;

enum class LtStatus : int {
  Success = 0,
  NotInitialized = 1,
  AllocFailed = 3,
  InvalidValue = 7,
  ExecutionFailed = 13,
  NotSupported = 15,
};

enum class DataType : int { F32 = 0, F16 = 2, BF16 = 14 };

/// Sums are computed in f32. With Tf32, factors of f32 may be rounded to a mantissa of 10 bits.
enum class ComputeType : int { F32 = 68, Tf32 = 77 };

enum class Transpose : int { No = 0, Yes = 1 };

enum class DescAttribute : int {
  TransposeA = 3,
  TransposeB = 4,
  Epilogue = 7,
  BiasPointer = 8,
  AuxPointer = 11,
  AuxLeadingDimension = 12,
  AuxBatchStride = 13,
};

enum class LayoutAttribute : int { BatchCount = 5, BatchStride = 6 };

enum class PreferenceAttribute : int {
  WorkspaceBytes = 1,
  ReductionSchemes = 3,
  AlignmentA = 5,
  AlignmentB = 6,
  AlignmentC = 7,
  AlignmentD = 8,
};

/// The operation applied to D before it is written. Aux: a matrix beside D stores the operand of
/// gelu, or provides it for the gradient of gelu. SumA, SumB: the vector at BiasPointer receives
/// the sum of op(A) or op(B) over k.
enum class Epilogue : uint32_t {
  None = 1,
  Relu = 2,
  Bias = 4,
  ReluBias = Relu | Bias,
  Gelu = 32,
  GeluBias = Gelu | Bias,
  GeluAux = Gelu | 128,
  GeluAuxBias = GeluAux | Bias,
  GeluGradient = 64 | 128,
  SumA = 256,
  SumB = 512,
};

/// Allowed reduction scheme: partial sums over parts of k are added in f32 in the workspace by a
/// separate kernel.
constexpr uint32_t sumsInWorkspace = 2;

/// The library's choice for a matmul: opaque bytes.
struct Algorithm {
  uint64_t data[8];
};
struct Choice {
  Algorithm algorithm;
  size_t workspaceBytes;
  LtStatus state;
  float waves;
  int reserved[4];
};

/// D = epilogue(alpha · op(A) op(B) + beta · C); matrices are column-major.
struct CublasLt {
  LtStatus (*create)(Handle *handle);
  LtStatus (*destroy)(Handle handle);
  size_t (*getVersion)();
  const char *(*getStatusName)(LtStatus status);
  LtStatus (*matmul)(Handle handle, MatmulDesc desc, const void *alpha, const void *a,
                     MatrixLayout aLayout, const void *b, MatrixLayout bLayout, const void *beta,
                     const void *c, MatrixLayout cLayout, void *d, MatrixLayout dLayout,
                     const Algorithm *algorithm, void *workspace, size_t workspaceBytes,
                     StreamHandle stream);
  LtStatus (*chooseAlgorithms)(Handle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b,
                               MatrixLayout c, MatrixLayout d, Preference preference, int most,
                               Choice *choices, int *count);
  LtStatus (*descCreate)(MatmulDesc *desc, ComputeType compute, DataType scale);
  LtStatus (*descDestroy)(MatmulDesc desc);
  LtStatus (*descSet)(MatmulDesc desc, DescAttribute attribute, const void *value, size_t bytes);
  LtStatus (*layoutCreate)(MatrixLayout *layout, DataType type, uint64_t rows, uint64_t columns,
                           int64_t leadingDimension);
  LtStatus (*layoutDestroy)(MatrixLayout layout);
  LtStatus (*layoutSet)(MatrixLayout layout, LayoutAttribute attribute, const void *value,
                        size_t bytes);
  LtStatus (*preferenceCreate)(Preference *preference);
  LtStatus (*preferenceDestroy)(Preference preference);
  LtStatus (*preferenceSet)(Preference preference, PreferenceAttribute attribute, const void *value,
                            size_t bytes);

  /// Returns the library, or the reason why it is not available; the same on every call.
  static const Expected<CublasLt> &get();

  /// Returns the rows that fill a table.
  static std::vector<Symbol> table(CublasLt &library);

  /// Returns the library's sonames that a driver for CUDA `driver` runs (13000 is 13.0), newest
  /// first. A driver runs libraries of its own major version and of earlier ones.
  static std::span<const char *const> names(int driver);

  /// Returns success, or "cublasLtMatmul: CUBLAS_STATUS_INVALID_VALUE" for the call `what`.
  Status check(LtStatus status, std::string_view what) const;

private:
  static Expected<CublasLt> load();
};

/// Returns the library's version for `pcc doctor`. Unavailable, with the reason, without the
/// library.
Expected<std::string> describe();

} // namespace pcc::runtime::cuda::lt
