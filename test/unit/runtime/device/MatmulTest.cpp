// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls by the library, on the emulated GPU. The library runs the supported ones, and kernels run
// the others.

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/library/CublasLt.h"
#include "test/emulator/CublasLtLibrary.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/device/MatmulCases.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// Runs a matmul on a GPU and counts the matmuls that the library ran. Checks that its workspace is
/// reported.
int64_t countByLibrary(const ProductCase &test, bool tf32 = false) {
  ProductProgram program(test);
  abi::Executable executable = forGpu(program.builder.executable);
  executable.mutable_gpu_code()->set_tf32(tf32);
  auto devices = makeCudaDevices(executable, 0, 1);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  int64_t before = pcc_emulated_products();
  EXPECT_EQ((*devices)[0]->workspaceBytes(), 0u);
  runRecordOn(*(*devices)[0], program.builder, program.instruction, program.values, program.result,
              {});
  EXPECT_EQ((*devices)[0]->workspaceBytes(), 32u << 20);
  return pcc_emulated_products() - before;
}

TEST(Matmuls, ByTheLibrary) {
  std::mt19937 random(1);
  for (int variant = 0; variant < productVariants; ++variant)
    EXPECT_EQ(countByLibrary(makeProduct(random, 2, 5, 3, 7, variant)), 1) << variant;
}

// The library requires kept rows of a multiple of 8 elements, and sums of a single matmul.
// Otherwise a kernel does the rest, as the suite of all devices shows.
TEST(Matmuls, AreFinishedByKernels) {
  std::mt19937 random(1);
  for (int64_t n : {16, 15})
    for (Gelu gelu : {Gelu::Plain, Gelu::Keeps, Gelu::Gradient})
      EXPECT_EQ(countByLibrary(makeGelu(random, 1, 5, n, 7, 0, gelu)), 1) << n;
  for (int64_t batch : {1, 2})
    EXPECT_EQ(countByLibrary(makeSum(random, batch, 5, 16, 7, 0)), 1) << batch;
}

// Operands may be rounded only if the program allows it.
TEST(Matmuls, RoundFactorsWhereTheProgramAsks) {
  std::mt19937 random(1);
  for (bool tf32 : {false, true}) {
    int64_t before = pcc_emulated_rounded_products();
    EXPECT_EQ(countByLibrary(makeProduct(random, 2, 5, 3, 7, 0), tf32), 1);
    EXPECT_EQ(pcc_emulated_rounded_products() - before, tf32) << tf32;
  }
}

// A CUDA 13 library opens on an older driver, but then fails at every call.
TEST(Matmuls, TheLibraryIsOneThatTheDriverRuns) {
  using cuda::lt::CublasLt;
  EXPECT_STREQ(CublasLt::names(13000).front(), "libcublasLt.so.13");
  EXPECT_EQ(CublasLt::names(13010).size(), 2u) << "older ones as well";
  ASSERT_EQ(CublasLt::names(12080).size(), 1u);
  EXPECT_STREQ(CublasLt::names(12080).front(), "libcublasLt.so.12");
}

} // namespace
} // namespace pcc::test
