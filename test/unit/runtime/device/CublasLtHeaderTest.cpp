// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of cuBLASLt with NVIDIA's. Built if there is a cublasLt.h.

#include "runtime/device/cuda/library/CublasLt.h"
#include "test/unit/runtime/device/HeaderShape.h"

#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>

namespace pcc::test {
namespace {

using namespace runtime::cuda::lt;

#define TEXT_OF(name) #name
/// Checks that a field of the table has the prototype of the function.
#define SAME(field, function)                                                                      \
  static_assert(sameShape<decltype(CublasLt::field), decltype(&::function)>);                      \
  names.insert(TEXT_OF(function))

TEST(CublasLtHeader, PrototypesAndNames) {
  std::set<std::string> names;
  SAME(create, cublasLtCreate);
  SAME(destroy, cublasLtDestroy);
  SAME(getVersion, cublasLtGetVersion);
  SAME(getStatusName, cublasLtGetStatusName);
  SAME(matmul, cublasLtMatmul);
  SAME(chooseAlgorithms, cublasLtMatmulAlgoGetHeuristic);
  SAME(descCreate, cublasLtMatmulDescCreate);
  SAME(descDestroy, cublasLtMatmulDescDestroy);
  SAME(descSet, cublasLtMatmulDescSetAttribute);
  SAME(layoutCreate, cublasLtMatrixLayoutCreate);
  SAME(layoutDestroy, cublasLtMatrixLayoutDestroy);
  SAME(layoutSet, cublasLtMatrixLayoutSetAttribute);
  SAME(preferenceCreate, cublasLtMatmulPreferenceCreate);
  SAME(preferenceDestroy, cublasLtMatmulPreferenceDestroy);
  SAME(preferenceSet, cublasLtMatmulPreferenceSetAttribute);
  CublasLt library;
  std::set<std::string> own;
  for (const runtime::Symbol &row : CublasLt::table(library))
    own.insert(row.name);
  EXPECT_EQ(own, names);
  EXPECT_EQ(own.size() * sizeof(void *), sizeof library) << "every field has a row";
}

TEST(CublasLtHeader, Structures) {
  using Theirs = cublasLtMatmulHeuristicResult_t;
  EXPECT_EQ(sizeof(Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(Choice), sizeof(Theirs));
  EXPECT_EQ(offsetof(Choice, algorithm), offsetof(Theirs, algo));
  EXPECT_EQ(offsetof(Choice, workspaceBytes), offsetof(Theirs, workspaceSize));
  EXPECT_EQ(offsetof(Choice, state), offsetof(Theirs, state));
  EXPECT_EQ(offsetof(Choice, waves), offsetof(Theirs, wavesCount));
}

TEST(CublasLtHeader, Numbers) {
  EXPECT_EQ(int(LtStatus::Success), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(int(LtStatus::NotInitialized), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(int(LtStatus::AllocFailed), CUBLAS_STATUS_ALLOC_FAILED);
  EXPECT_EQ(int(LtStatus::InvalidValue), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(int(LtStatus::ExecutionFailed), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(int(LtStatus::NotSupported), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(int(DataType::F32), CUDA_R_32F);
  EXPECT_EQ(int(DataType::F16), CUDA_R_16F);
  EXPECT_EQ(int(DataType::BF16), CUDA_R_16BF);
  EXPECT_EQ(int(ComputeType::F32), CUBLAS_COMPUTE_32F);
  EXPECT_EQ(int(ComputeType::Tf32), CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(int(Transpose::No), CUBLAS_OP_N);
  EXPECT_EQ(int(Transpose::Yes), CUBLAS_OP_T);
  EXPECT_EQ(int(DescAttribute::TransposeA), CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(int(DescAttribute::TransposeB), CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(int(DescAttribute::Epilogue), CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_EQ(int(DescAttribute::BiasPointer), CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_EQ(int(DescAttribute::AuxPointer), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
  EXPECT_EQ(int(DescAttribute::AuxLeadingDimension), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
  EXPECT_EQ(int(DescAttribute::AuxBatchStride), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
  EXPECT_EQ(int(LayoutAttribute::BatchCount), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  EXPECT_EQ(int(LayoutAttribute::BatchStride), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  EXPECT_EQ(int(PreferenceAttribute::WorkspaceBytes), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(int(PreferenceAttribute::ReductionSchemes), CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  EXPECT_EQ(int(PreferenceAttribute::AlignmentA), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_EQ(int(PreferenceAttribute::AlignmentB), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  EXPECT_EQ(int(PreferenceAttribute::AlignmentC), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  EXPECT_EQ(int(PreferenceAttribute::AlignmentD), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  EXPECT_EQ(sumsInWorkspace, uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
}

TEST(CublasLtHeader, Epilogues) {
  EXPECT_EQ(int(Epilogue::None), CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(int(Epilogue::Relu), CUBLASLT_EPILOGUE_RELU);
  EXPECT_EQ(int(Epilogue::Bias), CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(int(Epilogue::ReluBias), CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_EQ(int(Epilogue::Gelu), CUBLASLT_EPILOGUE_GELU);
  EXPECT_EQ(int(Epilogue::GeluBias), CUBLASLT_EPILOGUE_GELU_BIAS);
  EXPECT_EQ(int(Epilogue::GeluAux), CUBLASLT_EPILOGUE_GELU_AUX);
  EXPECT_EQ(int(Epilogue::GeluAuxBias), CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  EXPECT_EQ(int(Epilogue::GeluGradient), CUBLASLT_EPILOGUE_DGELU);
  EXPECT_EQ(int(Epilogue::SumA), CUBLASLT_EPILOGUE_BGRADA);
  EXPECT_EQ(int(Epilogue::SumB), CUBLASLT_EPILOGUE_BGRADB);
}

} // namespace
} // namespace pcc::test
