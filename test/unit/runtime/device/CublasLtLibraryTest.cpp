// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests NVIDIA's own cuBLASLt if it is installed: it has the functions that pcc calls, and accepts
// the descriptors that pcc makes. Neither needs a GPU.

#include "runtime/device/cuda/library/LibraryMatmuls.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;
using namespace runtime::cuda::lt;

class CublasLtLibrary : public testing::Test {
protected:
  void SetUp() override {
    if (!CublasLt::get())
      GTEST_SKIP() << CublasLt::get().status().message();
  }
};

TEST_F(CublasLtLibrary, HasEveryFunction) {
  CublasLt library = {};
  for (const Symbol &row : CublasLt::table(library)) {
    auto opened = SharedLibrary::open(CublasLt::names(13000), "");
    ASSERT_TRUE(bool(opened));
    EXPECT_NE(opened->address(row.name), nullptr) << row.name;
  }
  EXPECT_GE(CublasLt::get()->getVersion(), 120000u);
  EXPECT_EQ(CublasLt::get()->check(LtStatus::NotSupported, "call").message(),
            "call: CUBLAS_STATUS_NOT_SUPPORTED");
}

TEST_F(CublasLtLibrary, TakesTheDescriptorsOfProducts) {
  alignas(64) static std::byte memory[64];
  for (abi::Activation activation :
       {abi::ACTIVATION_NONE, abi::RELU, abi::GELU, abi::GELU_GRADIENT})
    for (abi::ElementType type : {abi::F32, abi::F16, abi::BF16})
      for (int variant = 0; variant < 16; ++variant) {
        abi::Matmul matmul;
        matmul.set_batch(variant & 1 ? 3 : 1);
        matmul.set_m(8);
        matmul.set_n(16);
        matmul.set_k(24);
        matmul.set_transpose_a(variant & 2);
        matmul.set_transpose_b(variant & 4);
        matmul.set_shared_b(variant & 8);
        matmul.set_type(type);
        matmul.set_result_type(type);
        matmul.set_activation(activation);
        matmul.mutable_pre_activation();
        MatmulAddresses at = {memory, memory, memory, memory, memory, nullptr};
        auto plan = planMatmul(*CublasLt::get(), shapeOf(matmul, at),
                               type == abi::F32 ? ComputeType::Tf32 : ComputeType::F32, at);
        EXPECT_TRUE(bool(plan)) << plan.status().message();
      }
}

// The library refuses a wrong attribute size, so accepted sizes are right.
TEST_F(CublasLtLibrary, RefusesOtherSizes) {
  const CublasLt &library = *CublasLt::get();
  MatmulDesc desc = nullptr;
  MatrixLayout layout = nullptr;
  Preference preference = nullptr;
  ASSERT_EQ(library.descCreate(&desc, ComputeType::F32, DataType::F32), LtStatus::Success);
  ASSERT_EQ(library.layoutCreate(&layout, DataType::F32, 8, 8, 8), LtStatus::Success);
  ASSERT_EQ(library.preferenceCreate(&preference), LtStatus::Success);
  int64_t number = 0;
  EXPECT_EQ(library.descSet(desc, DescAttribute::Epilogue, &number, 2), LtStatus::InvalidValue);
  EXPECT_EQ(library.descSet(desc, DescAttribute::AuxLeadingDimension, &number, 4),
            LtStatus::InvalidValue);
  EXPECT_EQ(library.layoutSet(layout, LayoutAttribute::BatchCount, &number, 8),
            LtStatus::InvalidValue);
  EXPECT_EQ(library.preferenceSet(preference, PreferenceAttribute::WorkspaceBytes, &number, 4),
            LtStatus::InvalidValue);
  uint64_t bytes = 32 << 20;
  uint32_t word = sumsInWorkspace, alignment = 64;
  for (PreferenceAttribute attribute :
       {PreferenceAttribute::AlignmentA, PreferenceAttribute::AlignmentB,
        PreferenceAttribute::AlignmentC, PreferenceAttribute::AlignmentD})
    EXPECT_EQ(library.preferenceSet(preference, attribute, &alignment, sizeof alignment),
              LtStatus::Success);
  EXPECT_EQ(
      library.preferenceSet(preference, PreferenceAttribute::ReductionSchemes, &word, sizeof word),
      LtStatus::Success);
  EXPECT_EQ(
      library.preferenceSet(preference, PreferenceAttribute::WorkspaceBytes, &bytes, sizeof bytes),
      LtStatus::Success);
  EXPECT_EQ(library.descDestroy(desc), LtStatus::Success);
  EXPECT_EQ(library.layoutDestroy(layout), LtStatus::Success);
  EXPECT_EQ(library.preferenceDestroy(preference), LtStatus::Success);
}

} // namespace
} // namespace pcc::test
