// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance tests of all devices, run on the host and on the emulated GPU.

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/host/HostDevice.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/device/MatmulCases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace pcc::test {
namespace {

using namespace runtime;

enum class Kind { Host, Cuda };

class DeviceConformance : public testing::TestWithParam<Kind> {
protected:
  /// Makes devices for two ranks.
  void open(const abi::Executable &source) {
    executable = GetParam() == Kind::Cuda ? forGpu(source) : source;
    auto made = GetParam() == Kind::Cuda ? makeCudaDevices(executable, 0, 2)
                                         : makeHostDevices(executable, 1, 2);
    ASSERT_TRUE(bool(made)) << made.status().describe();
    devices = std::move(*made);
    devices[0]->enterThread();
  }

  std::vector<float> run(ProgramBuilder &builder, const abi::Instruction &instruction,
                         const BufferValues &values, uint32_t out, const ActionValues &action) {
    open(builder.executable);
    return runRecordOn(*devices[0], builder, instruction, values, out, action);
  }

  abi::Executable executable;
  std::vector<std::unique_ptr<Device>> devices;
};

std::vector<std::byte> countingBytes(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = std::byte(i * 131 + i / 251);
  return bytes;
}

TEST_P(DeviceConformance, MemoryIsZeroAndKeepsWhatIsCopiedIn) {
  open(ProgramBuilder(1).executable);
  for (size_t bytes : {size_t(0), size_t(1), size_t(1000), size_t(21) << 20}) {
    auto memory = devices[0]->allocate(bytes);
    ASSERT_TRUE(bool(memory)) << memory.status().describe();
    std::vector<std::byte> got(bytes, std::byte(1));
    ASSERT_TRUE(devices[0]->copyOut(got, (*memory)->base).ok());
    EXPECT_EQ(got, std::vector<std::byte>(bytes));
    std::vector<std::byte> given = countingBytes(bytes);
    ASSERT_TRUE(devices[0]->copyIn((*memory)->base, given).ok());
    std::fill(given.begin(), given.end(), std::byte(7)); // the device has its own copy by now
    ASSERT_TRUE(devices[0]->copyOut(got, (*memory)->base).ok());
    EXPECT_EQ(got, countingBytes(bytes));
  }
}

// Many small copies, such as step numbers, arrive in order.
TEST_P(DeviceConformance, CopiesInAreDoneInOrder) {
  open(ProgramBuilder(1).executable);
  auto memory = devices[0]->allocate(sizeof(int64_t) * 3);
  ASSERT_TRUE(bool(memory));
  constexpr int64_t steps = 5000;
  for (int64_t step = 0; step < steps; ++step)
    ASSERT_TRUE(
        devices[0]
            ->copyIn((*memory)->base + step % 3 * sizeof step, std::as_bytes(std::span(&step, 1)))
            .ok());
  std::vector<int64_t> got(3);
  ASSERT_TRUE(devices[0]->copyOut(std::as_writable_bytes(std::span(got)), (*memory)->base).ok());
  EXPECT_EQ(got, (std::vector<int64_t>{4998, 4999, 4997}));
}

// The next content is written while the device may still be busy with the preceding one.
TEST_P(DeviceConformance, InletsBringEachContentToItsPlaceInTheOrder) {
  open(ProgramBuilder(1).executable);
  for (size_t bytes : {size_t(0), size_t(8), size_t(9) << 20}) {
    auto memory = devices[0]->allocate(bytes);
    ASSERT_TRUE(bool(memory));
    auto inlet = devices[0]->makeHostToDeviceStaging((*memory)->base, bytes);
    ASSERT_TRUE(bool(inlet)) << inlet.status().describe();
    std::vector<std::unique_ptr<Snapshot>> seen;
    for (int turn = 0; turn < 3; ++turn) {
      ASSERT_TRUE((*inlet)->wait().ok());
      std::fill_n((*inlet)->image(), bytes, std::byte(turn + 1));
      ASSERT_TRUE((*inlet)->send().ok());
      auto snapshot = devices[0]->makeSnapshot((*memory)->base, bytes);
      ASSERT_TRUE(bool(snapshot)) << snapshot.status().describe();
      ASSERT_TRUE((*snapshot)->take().ok());
      seen.push_back(std::move(*snapshot));
    }
    for (int turn = 0; turn < 3; ++turn) {
      auto got = seen[turn]->read();
      ASSERT_TRUE(bool(got)) << got.status().describe();
      EXPECT_EQ(std::vector<std::byte>(got->begin(), got->end()),
                std::vector<std::byte>(bytes, std::byte(turn + 1)));
    }
  }
}

TEST_P(DeviceConformance, ConstantsAreShared) {
  ProgramBuilder builder(1);
  builder.executable.set_constants("some constants");
  builder.buffer("constants", abi::CONSTANT, abi::I8, {14});
  open(builder.executable);
  EXPECT_EQ(devices[0]->constants(), devices[1]->constants());
  std::string got(builder.executable.constants().size(), ' ');
  ASSERT_TRUE(devices[1]
                  ->copyOut(std::as_writable_bytes(std::span(got.data(), got.size())),
                            devices[1]->constants())
                  .ok());
  EXPECT_EQ(got, builder.executable.constants());
}

TEST_P(DeviceConformance, ProductsOfAllForms) {
  std::mt19937 random(1);
  for (auto [batch, m, n, k] : {std::array<int64_t, 4>{1, 4, 512, 70},
                                {1, 300, 31, 4},
                                {3, 2, 5, 33},
                                {1, 64, 48, 80},
                                {2, 40, 24, 32},
                                {1, 1, 1, 1},
                                {1, 600, 20, 17}})
    for (int variant = 0; variant < productVariants; ++variant) {
      ProductCase test = makeProduct(random, batch, m, n, k, variant);
      for (bool first : {true, false}) {
        bool add = test.matmul.accumulation() == abi::ADD_AFTER_FIRST && !first;
        ProductProgram program(test);
        std::vector<float> got = run(program.builder, program.instruction, program.values,
                                     program.result, {.first = first});
        std::vector<double> expected = test.expected(add);
        double worst = 0;
        for (size_t i = 0; i < got.size(); ++i)
          worst = std::max(worst, std::abs(got[i] - expected[i]));
        // Terms are below 1 in size. f32 rounds each of k + 2 additions by at most half an ulp of
        // the bound of their sum.
        EXPECT_LE(worst, double(k + 2) * double(k + 2) * 0x1p-24)
            << batch << "x" << m << "x" << n << "x" << k << " variant " << variant;
      }
    }
}

/// Compares numbers; the tolerance is the f32 rounding error of k + 2 additions of terms below 1.
void expectNear(const std::vector<float> &got, const std::vector<double> &expected, int64_t k,
                const std::string &what) {
  ASSERT_EQ(got.size(), expected.size());
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(got[i] - expected[i]));
  EXPECT_LE(worst, double(k + 2) * double(k + 2) * 0x1p-24) << what;
}

/// Tests of instructions that only GPU programs have.
class GpuConformance : public DeviceConformance {};

TEST_P(GpuConformance, ProductsWithGelu) {
  std::mt19937 random(2);
  for (auto [batch, m, n, k] :
       {std::array<int64_t, 4>{1, 24, 40, 33}, {3, 5, 16, 9}, {2, 7, 13, 20}, {1, 1, 1, 1}})
    for (int variant = 0; variant < geluVariants; ++variant)
      for (Gelu gelu : {Gelu::Plain, Gelu::Keeps, Gelu::Gradient}) {
        ProductCase test = makeGelu(random, batch, m, n, k, variant, gelu);
        ProductProgram program(test);
        std::string what =
            fmt::format("{}x{}x{}x{} variant {} gelu {}", batch, m, n, k, variant, int(gelu));
        auto read = [&](uint32_t buffer) {
          return run(program.builder, program.instruction, program.values, buffer, {});
        };
        // The polynomial and the slope of gelu scale rounding errors.
        expectNear(read(program.result), test.expected(false), k + 20, what);
        if (gelu == Gelu::Keeps)
          expectNear(read(program.preActivation), test.beforeActivation(false), k, what);
      }
}

TEST_P(GpuConformance, ProductsWithSums) {
  std::mt19937 random(3);
  for (auto [batch, m, n, k] :
       {std::array<int64_t, 4>{1, 24, 40, 33}, {3, 5, 16, 9}, {1, 1, 1, 1}, {1, 7, 300, 64}})
    for (int variant = 0; variant < 2 * sumVariants; ++variant) {
      // The matmul may add to its destination; the sum never does.
      bool adds = variant >= sumVariants;
      ProductCase test = makeSum(random, batch, m, n, k, variant % sumVariants);
      test.matmul.set_accumulation(adds ? abi::ADD : abi::OVERWRITE);
      ProductProgram program(test);
      std::string what = fmt::format("{}x{}x{}x{} variant {}", batch, m, n, k, variant);
      auto read = [&](uint32_t buffer) {
        return run(program.builder, program.instruction, program.values, buffer, {});
      };
      expectNear(read(program.result), test.expected(adds), k, what);
      expectNear(read(program.sum), test.expectedSum(), batch * k, what);
    }
}

TEST_P(DeviceConformance, Accumulates) {
  for (int64_t count : {1, 5000, 3 << 20}) {
    ProgramBuilder builder(1);
    uint32_t source = builder.buffer("source", abi::PERSISTENT, abi::F32, {count});
    uint32_t sum = builder.buffer("sum", abi::PERSISTENT, abi::F32, {count});
    abi::Instruction instruction;
    abi::Accumulate &accumulate = *instruction.mutable_accumulate();
    accumulate.mutable_source()->set_buffer(source);
    accumulate.mutable_destination()->set_buffer(sum);
    accumulate.set_source_type(abi::F32);
    accumulate.set_count(count);
    accumulate.set_accumulation(abi::ADD_AFTER_FIRST);
    std::vector<float> twos(count, 2), before(count, 1.5f);
    BufferValues values = {{source, twos}, {sum, before}};
    EXPECT_EQ(run(builder, instruction, values, sum, {.first = 1}), twos);
    EXPECT_EQ(run(builder, instruction, values, sum, {.first = 0}),
              std::vector<float>(count, 3.5f));
  }
}

TEST_P(DeviceConformance, CopiesAndFills) {
  ProgramBuilder builder(1);
  uint32_t source = builder.buffer("source", abi::PERSISTENT, abi::F32, {8});
  uint32_t target = builder.buffer("target", abi::PERSISTENT, abi::F32, {8});
  std::vector<float> ones(8, 1), counting(8);
  std::iota(counting.begin(), counting.end(), 0.0f);
  abi::Instruction copy, fill;
  copy.mutable_copy()->mutable_source()->set_buffer(source);
  copy.mutable_copy()->mutable_source()->set_offset(8);
  copy.mutable_copy()->mutable_destination()->set_buffer(target);
  copy.mutable_copy()->set_bytes(12);
  EXPECT_EQ(run(builder, copy, {{source, counting}, {target, ones}}, target, {}),
            (std::vector<float>{2, 3, 4, 1, 1, 1, 1, 1}));
  fill.mutable_fill()->mutable_destination()->set_buffer(target);
  fill.mutable_fill()->mutable_destination()->set_offset(4);
  fill.mutable_fill()->set_bytes(24);
  EXPECT_EQ(run(builder, fill, {{target, ones}}, target, {}),
            (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1}));
}

INSTANTIATE_TEST_SUITE_P(Gpus, GpuConformance, testing::Values(Kind::Cuda));
INSTANTIATE_TEST_SUITE_P(Devices, DeviceConformance, testing::Values(Kind::Host, Kind::Cuda),
                         [](const auto &info) {
                           return info.param == Kind::Host ? "Host" : "Cuda";
                         });

} // namespace
} // namespace pcc::test
