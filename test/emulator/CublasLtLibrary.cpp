// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul library without a GPU: libcublasLt.so.13 for tests, on the streams of the emulated
// driver. It refuses descriptors that do not fit one another, algorithms of other matmuls, and
// addresses that are less aligned than declared.

#include "test/emulator/CublasLtLibrary.h"
#include "test/emulator/LtMatmul.h"

#include <atomic>
#include <cstring>

using namespace pcc::runtime::cuda;
using namespace pcc::runtime::cuda::lt;
using namespace pcc::test;

namespace {

std::atomic<int64_t> products = 0, roundedProducts = 0;

/// Words of an algorithm: a mark, the matmul's fingerprint, alignments of A, B, C and D, workspace.
enum AlgorithmWord { mark, fingerprint, firstAlignment, workspaceWord = firstAlignment + 4 };
constexpr uint64_t theMark = 0x70636370726f6475;
constexpr uint64_t usualWorkspace = 1 << 20;

/// Copies a value; fails unless `bytes` is exactly the size of the field.
template <typename Field> LtStatus take(Field &field, const void *value, size_t bytes) {
  if (!value || bytes != sizeof field)
    return LtStatus::InvalidValue;
  std::memcpy(&field, value, bytes);
  return LtStatus::Success;
}

bool isAligned(const void *address, uint64_t alignment) {
  return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

template <typename Object> LtStatus destroy(Object *object) {
  delete object;
  return object ? LtStatus::Success : LtStatus::InvalidValue;
}

} // namespace

extern "C" {

int64_t pcc_emulated_products() { return products; }
int64_t pcc_emulated_rounded_products() { return roundedProducts; }

LtStatus cublasLtCreate(Handle *handle) {
  *handle = new HandleObject;
  return LtStatus::Success;
}
LtStatus cublasLtDestroy(Handle handle) { return destroy(handle); }
size_t cublasLtGetVersion() { return 130000; }

const char *cublasLtGetStatusName(LtStatus status) {
  switch (status) {
  case LtStatus::Success:
    return "CUBLAS_STATUS_SUCCESS";
  case LtStatus::NotInitialized:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case LtStatus::ExecutionFailed:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case LtStatus::NotSupported:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "CUBLAS_STATUS_INVALID_VALUE";
  }
}

LtStatus cublasLtMatmulDescCreate(MatmulDesc *desc, ComputeType compute, DataType scale) {
  *desc = new MatmulDescObject{compute, scale};
  return LtStatus::Success;
}
LtStatus cublasLtMatmulDescDestroy(MatmulDesc desc) { return destroy(desc); }

LtStatus cublasLtMatmulDescSetAttribute(MatmulDesc desc, DescAttribute attribute, const void *value,
                                        size_t bytes) {
  switch (attribute) {
  case DescAttribute::TransposeA:
    return take(desc->transposeA, value, bytes);
  case DescAttribute::TransposeB:
    return take(desc->transposeB, value, bytes);
  case DescAttribute::Epilogue:
    return take(desc->epilogue, value, bytes);
  case DescAttribute::BiasPointer:
    return take(desc->bias, value, bytes);
  case DescAttribute::AuxPointer:
    return take(desc->aux, value, bytes);
  case DescAttribute::AuxLeadingDimension:
    return take(desc->auxLeadingDimension, value, bytes);
  case DescAttribute::AuxBatchStride:
    return take(desc->auxStride, value, bytes);
  }
  return LtStatus::InvalidValue;
}

LtStatus cublasLtMatrixLayoutCreate(MatrixLayout *layout, DataType type, uint64_t rows,
                                    uint64_t columns, int64_t leadingDimension) {
  *layout = new MatrixLayoutObject{type, rows, columns, leadingDimension};
  return LtStatus::Success;
}
LtStatus cublasLtMatrixLayoutDestroy(MatrixLayout layout) { return destroy(layout); }

LtStatus cublasLtMatrixLayoutSetAttribute(MatrixLayout layout, LayoutAttribute attribute,
                                          const void *value, size_t bytes) {
  switch (attribute) {
  case LayoutAttribute::BatchCount:
    return take(layout->batch, value, bytes);
  case LayoutAttribute::BatchStride:
    return take(layout->stride, value, bytes);
  }
  return LtStatus::InvalidValue;
}

LtStatus cublasLtMatmulPreferenceCreate(Preference *preference) {
  *preference = new PreferenceObject;
  return LtStatus::Success;
}
LtStatus cublasLtMatmulPreferenceDestroy(Preference preference) { return destroy(preference); }

LtStatus cublasLtMatmulPreferenceSetAttribute(Preference preference, PreferenceAttribute attribute,
                                              const void *value, size_t bytes) {
  switch (attribute) {
  case PreferenceAttribute::WorkspaceBytes:
    return take(preference->workspaceBytes, value, bytes);
  case PreferenceAttribute::ReductionSchemes:
    return take(preference->reductionSchemes, value, bytes);
  case PreferenceAttribute::AlignmentA:
  case PreferenceAttribute::AlignmentB:
  case PreferenceAttribute::AlignmentC:
  case PreferenceAttribute::AlignmentD:
    return take(preference->alignments[int(attribute) - int(PreferenceAttribute::AlignmentA)],
                value, bytes);
  }
  return LtStatus::InvalidValue;
}

LtStatus cublasLtMatmulAlgoGetHeuristic(Handle handle, MatmulDesc desc, MatrixLayout a,
                                        MatrixLayout b, MatrixLayout c, MatrixLayout d,
                                        Preference preference, int most, Choice *choices,
                                        int *count) {
  if (!handle)
    return LtStatus::NotInitialized;
  if (!desc || !a || !b || !c || !d || !preference || most < 1 || !choices || !count)
    return LtStatus::InvalidValue;
  *count = 0;
  LtMatmul product{*desc, *a, *b, *c, *d};
  if (LtStatus status = product.check(); status != LtStatus::Success)
    return status;
  Choice choice = {};
  choice.algorithm.data[mark] = theMark;
  choice.algorithm.data[fingerprint] = product.fingerprint();
  for (int i = 0; i < 4; ++i)
    choice.algorithm.data[firstAlignment + i] = preference->alignments[i];
  choice.workspaceBytes = std::min(usualWorkspace, preference->workspaceBytes);
  choice.algorithm.data[workspaceWord] = choice.workspaceBytes;
  choices[(*count)++] = choice;
  return LtStatus::Success;
}

LtStatus cublasLtMatmul(Handle handle, MatmulDesc desc, const void *alpha, const void *a,
                        MatrixLayout aLayout, const void *b, MatrixLayout bLayout, const void *beta,
                        const void *c, MatrixLayout cLayout, void *d, MatrixLayout dLayout,
                        const Algorithm *algorithm, void *workspace, size_t workspaceBytes,
                        StreamHandle stream) {
  if (!handle)
    return LtStatus::NotInitialized;
  if (!desc || !aLayout || !bLayout || !cLayout || !dLayout || !algorithm || !alpha || !beta)
    return LtStatus::InvalidValue;
  LtMatmul product{*desc, *aLayout, *bLayout, *cLayout, *dLayout};
  if (LtStatus status = product.check(); status != LtStatus::Success)
    return status;
  const uint64_t *words = algorithm->data;
  const void *operands[] = {a, b, c, d};
  bool fits = words[mark] == theMark && words[fingerprint] == product.fingerprint() &&
              words[workspaceWord] <= workspaceBytes && (workspaceBytes == 0 || workspace);
  for (int i = 0; i < 4; ++i)
    fits &= isAligned(operands[i], words[firstAlignment + i]);
  if (!fits)
    return LtStatus::InvalidValue;
  auto bytes = [](const void *address) {
    return const_cast<std::byte *>(static_cast<const std::byte *>(address));
  };
  LtCall call{product,
              *static_cast<const float *>(alpha),
              *static_cast<const float *>(beta),
              bytes(a),
              bytes(b),
              bytes(c),
              bytes(d)};
  std::vector<GpuBytes> touched = call.touched();
  if (workspaceBytes > 0)
    touched.push_back({pointer(bytes(workspace)), workspaceBytes});
  Result result = enqueueWork(stream, std::move(touched), [call] {
    call.run();
    ++products;
    roundedProducts += call.product.desc.compute == ComputeType::Tf32;
  });
  return result == Result::Success ? LtStatus::Success : LtStatus::ExecutionFailed;
}

} // extern "C"

/// Fails to compile if a function's type differs from the one that the runtime declares.
[[maybe_unused]] static const CublasLt own = {.create = cublasLtCreate,
                                              .destroy = cublasLtDestroy,
                                              .getVersion = cublasLtGetVersion,
                                              .getStatusName = cublasLtGetStatusName,
                                              .matmul = cublasLtMatmul,
                                              .chooseAlgorithms = cublasLtMatmulAlgoGetHeuristic,
                                              .descCreate = cublasLtMatmulDescCreate,
                                              .descDestroy = cublasLtMatmulDescDestroy,
                                              .descSet = cublasLtMatmulDescSetAttribute,
                                              .layoutCreate = cublasLtMatrixLayoutCreate,
                                              .layoutDestroy = cublasLtMatrixLayoutDestroy,
                                              .layoutSet = cublasLtMatrixLayoutSetAttribute,
                                              .preferenceCreate = cublasLtMatmulPreferenceCreate,
                                              .preferenceDestroy = cublasLtMatmulPreferenceDestroy,
                                              .preferenceSet =
                                                  cublasLtMatmulPreferenceSetAttribute};
