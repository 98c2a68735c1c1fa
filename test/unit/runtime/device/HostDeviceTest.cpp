// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/host/HostDevice.h"
#include "runtime/base/HalfFloat.h"
#include "runtime/device/host/Team.h"
#include "test/unit/runtime/device/MatmulCases.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <new>

namespace pcc::test {
namespace {

using namespace runtime;

std::vector<float> runProduct(const ProductCase &test, int threads, bool first) {
  ProductProgram program(test);
  return runInstruction(program.builder, program.instruction, program.values, program.result,
                        threads, {.first = first});
}

// ReLU propagates NaN (docs/spec/interpreter.md).
TEST(HostDevice, ReluOfASmallProductKeepsNan) {
  std::mt19937 random(3);
  constexpr int64_t extent = 4;
  ProductCase test = makeProduct(random, 1, extent, extent, extent, 8);
  test.a[0] = NAN;
  std::vector<float> got = runProduct(test, 1, true);
  for (int64_t i = 0; i < extent * extent; ++i)
    EXPECT_EQ(std::isnan(got[i]), i < extent) << "element " << i;
}

// The algorithm and the tiling of a matmul depend on its sizes alone.
TEST(HostDevice, BitsDoNotDependOnThreads) {
  std::mt19937 random(2);
  for (auto [m, n, k] : {std::array<int64_t, 3>{4, 512, 784},
                         {512, 784, 4},
                         {32, 512, 784},
                         {512, 784, 32},
                         {256, 256, 256}})
    for (int variant : {0, 1, 2, 40}) {
      ProductCase test = makeProduct(random, 1, m, n, k, variant);
      std::vector<float> one = runProduct(test, 1, true);
      for (int threads : {2, 3, 8})
        EXPECT_EQ(runProduct(test, threads, true), one)
            << m << "x" << n << "x" << k << " variant " << variant << ", " << threads << " threads";
    }
}

TEST(HostDevice, AccumulatesInF32) {
  for (int threads : {1, 3}) {
    ProgramBuilder builder(1);
    constexpr int64_t count = 10000;
    uint32_t source = builder.buffer("source", abi::PERSISTENT, abi::BF16, {count});
    uint32_t sum = builder.buffer("sum", abi::PERSISTENT, abi::F32, {count});
    abi::Instruction instruction;
    abi::Accumulate &accumulate = *instruction.mutable_accumulate();
    accumulate.mutable_source()->set_buffer(source);
    accumulate.mutable_destination()->set_buffer(sum);
    accumulate.set_source_type(abi::BF16);
    accumulate.set_count(count);
    accumulate.set_accumulation(abi::ADD_AFTER_FIRST);
    uint32_t twoHalves = uint32_t(toBFloat16(2.0f).bits) << 16 | toBFloat16(2.0f).bits;
    std::vector<float> packed(count / 2, std::bit_cast<float>(twoHalves));
    std::vector<float> before(count, 1.5f);
    EXPECT_EQ(runInstruction(builder, instruction, {{source, packed}, {sum, before}}, sum, threads,
                             {.first = 1}),
              std::vector<float>(count, 2.0f));
    EXPECT_EQ(runInstruction(builder, instruction, {{source, packed}, {sum, before}}, sum, threads,
                             {.first = 0}),
              std::vector<float>(count, 3.5f));
  }
}

// An exception on a thread of the team becomes one of the rank's thread, and the team stays usable.
TEST(HostDevice, ExceptionsLeaveTheTeam) {
  Expected<host::Team> team = host::Team::make(4);
  ASSERT_TRUE(bool(team)) << team.status().message();
  for (int64_t failing : {0, 3})
    EXPECT_THROW(team->parallel(4,
                                [&](int64_t begin, int64_t end) {
                                  if (begin <= failing && failing < end)
                                    throw std::bad_alloc();
                                }),
                 std::bad_alloc);
  std::atomic<int64_t> sum = 0;
  team->parallel(4, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 4);
}

TEST(HostDevice, RefusesWhatIsForGpus) {
  std::mt19937 random(2);
  for (const ProductCase &test :
       {makeGelu(random, 1, 4, 8, 4, 0, Gelu::Keeps), makeSum(random, 1, 4, 8, 4, 0)}) {
    ProductProgram program(test);
    auto devices = makeHostDevices(program.builder.executable, 1);
    ASSERT_TRUE(bool(devices));
    auto prepared = (*devices)[0]->prepare(
        program.instruction, {program.builder.executable, program.builder.program, {}, 0});
    EXPECT_EQ(prepared.status().exitCode(), 6);
  }
}

TEST(HostDevice, RefusesAnotherCpu) {
  ProgramBuilder builder(1);
  builder.executable.mutable_object()->add_cpu_features("avx9000");
  Status status = makeHostDevices(builder.executable).status();
  EXPECT_EQ(status.exitCode(), 6);
  EXPECT_EQ(status.message(),
            "the program was compiled for a cpu with avx9000, which this machine lacks; "
            "compile it here");
}

TEST(HostDevice, NamesAMissingSymbol) {
  ProgramBuilder builder(1);
  builder.executable.mutable_kernels(0)->set_symbol("gone");
  EXPECT_EQ(makeHostDevices(builder.executable).status().message(),
            "kernel 'softmax_cross_entropy': the object has no symbol 'gone'");
}

} // namespace
} // namespace pcc::test
