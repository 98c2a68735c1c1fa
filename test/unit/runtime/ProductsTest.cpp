// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by the library, on the emulated GPU: which it takes, and that those that it does not are
// done by kernels.

#include "runtime/device/cuda/CudaDevice.h"
#include "test/emulator/CublasLtLibrary.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/ProductCases.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// Runs a product on a GPU; how many of them the library did.
int64_t countByLibrary(const ProductCase &test) {
  ProductProgram program(test);
  abi::Executable executable = forGpu(program.builder.executable);
  auto devices = makeCudaDevices(executable, 0, 1);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  int64_t before = pcc_emulated_products();
  runRecordOn(*(*devices)[0], program.builder, program.record, program.values, program.result, {});
  return pcc_emulated_products() - before;
}

TEST(Products, ByTheLibrary) {
  std::mt19937 random(1);
  for (int variant = 0; variant < productVariants; ++variant)
    EXPECT_EQ(countByLibrary(makeProduct(random, 2, 5, 3, 7, variant)), 1) << variant;
}

TEST(Products, WhatIsKeptHasRowsOfAMultipleOfEight) {
  std::mt19937 random(1);
  EXPECT_EQ(countByLibrary(makeGelu(random, 1, 5, 16, 7, 0, Gelu::Keeps)), 1);
  EXPECT_EQ(countByLibrary(makeGelu(random, 1, 5, 15, 7, 0, Gelu::Keeps)), 0);
  EXPECT_EQ(countByLibrary(makeGelu(random, 1, 5, 15, 7, 0, Gelu::Plain)), 1);
}

TEST(Products, SumsAreOfOneProduct) {
  std::mt19937 random(1);
  EXPECT_EQ(countByLibrary(makeSum(random, 1, 5, 16, 7, 0)), 1);
  EXPECT_EQ(countByLibrary(makeSum(random, 2, 5, 16, 7, 0)), 0);
}

} // namespace
} // namespace pcc::test
