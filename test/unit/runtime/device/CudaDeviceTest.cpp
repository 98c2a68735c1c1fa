// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of GPU devices only, tested on the emulated GPU.

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/abi/program/SupportKernels.h"
#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Code.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/device/RunInstruction.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;

Status openStatus(const abi::Executable &executable) {
  return makeCudaDevices(executable, 0, 1).status();
}

std::unique_ptr<Device> open(const abi::Executable &executable) {
  auto devices = makeCudaDevices(executable, 0, 1);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  (*devices)[0]->enterThread();
  return std::move((*devices)[0]);
}

// Machine code runs on its major capability, PTX on all later ones. A letter suffix means that chip
// alone.
TEST(CudaDevice, ChipsAndCapabilities) {
  auto gpu = [](int major, int minor) { return cuda::GpuProperties{"a GPU", major, minor, 0}; };
  using cuda::runsMachineCode;
  using cuda::runsPtx;
  EXPECT_TRUE(runsMachineCode("sm_80", gpu(8, 0)));
  EXPECT_TRUE(runsMachineCode("sm_80", gpu(8, 6)));
  EXPECT_FALSE(runsMachineCode("sm_86", gpu(8, 0)));
  EXPECT_FALSE(runsMachineCode("sm_80", gpu(9, 0)));
  EXPECT_TRUE(runsPtx("sm_80", gpu(9, 0)));
  EXPECT_FALSE(runsPtx("sm_90", gpu(8, 9)));
  EXPECT_TRUE(runsMachineCode("sm_90a", gpu(9, 0)));
  EXPECT_FALSE(runsPtx("sm_90a", gpu(10, 0)));
  EXPECT_TRUE(runsMachineCode("sm_100", gpu(10, 3)));
  EXPECT_FALSE(runsMachineCode("emulator", gpu(9, 0)));
  EXPECT_FALSE(runsPtx("emulator", gpu(9, 0)));
}

TEST(CudaDevice, RefusesCodeForAnotherChip) {
  abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  executable.mutable_gpu_code()->set_chip("sm_90");
  Status status = openStatus(executable);
  EXPECT_EQ(status.exitCode(), 6);
  EXPECT_EQ(status.message(),
            "the program was compiled for sm_90, and 'emulator' has compute capability 0.0: "
            "compile it with --target=cuda:sm_00");
}

TEST(CudaDevice, SaysWhichCodeTheDriverRefuses) {
  abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  executable.mutable_gpu_code()->set_cubin("no machine code");
  EXPECT_EQ(openStatus(executable).message(),
            "cuModuleLoadDataEx of machine code for emulator: CUDA_ERROR_INVALID_IMAGE: "
            "so says the emulator");
}

// If the machine code does not fit, the driver compiles the PTX, and reports why it cannot.
TEST(CudaDevice, KeepsTheWordsOfTheDriversCompiler) {
  const cuda::Driver &driver = *cuda::Driver::get();
  cuda::ContextHandle context = nullptr;
  ASSERT_EQ(driver.primaryContextRetain(&context, 0), cuda::Result::Success);
  auto gpu =
      std::make_shared<const cuda::Gpu>(driver, 0, cuda::GpuProperties{"a GPU", 9, 0, 0}, context);
  abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  executable.mutable_gpu_code()->set_chip("sm_80");
  executable.mutable_gpu_code()->set_ptx(".version 8.0");
  EXPECT_EQ(cuda::Code::load(gpu, executable).status().message(),
            "cuModuleLoadDataEx of PTX: CUDA_ERROR_INVALID_IMAGE: so says the emulator: the "
            "emulator does not compile");
}

TEST(CudaDevice, NamesAMissingEntry) {
  abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  executable.mutable_kernels(0)->set_symbol("gone");
  EXPECT_EQ(openStatus(executable).message(),
            "kernel 'softmax_cross_entropy': the code has no entry 'gone'");
}

TEST(CudaDevice, SaysHowMuchMemoryThereIs) {
  abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  std::unique_ptr<Device> device = open(executable);
  Status status = device->allocate(uint64_t(1) << 40).status();
  EXPECT_EQ(status.exitCode(), 5);
  EXPECT_TRUE(status.message().starts_with("no memory for 1099511627776 bytes on 'emulator', "))
      << status.message();
}

// Threads are fibers, which ThreadSanitizer does not support.
#if !defined(__SANITIZE_THREAD__)
TEST(CudaDevice, CallsReachEveryThreadOfTheGrid) {
  abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  auto gpu = cuda::Gpu::open(*cuda::Driver::get(), 0);
  ASSERT_TRUE(bool(gpu));
  auto code = cuda::Code::load(*gpu, executable);
  ASSERT_TRUE(bool(code));
  auto function = (*code)->support("number_threads");
  auto stream = cuda::Stream::make(*gpu);
  constexpr int64_t blocks = 3;
  std::vector<int64_t> got(2 * blocks * abi::supportThreads);
  auto memory = cuda::allocateOn(*gpu, got.size() * sizeof(int64_t));
  ASSERT_TRUE(bool(function) && bool(stream) && bool(memory));
  abi::Instruction instruction;
  cuda::Call call(*function, blocks, abi::supportThreads, {(*memory)->base}, {});
  ASSERT_TRUE(call.run(instruction, **stream).ok());
  ASSERT_TRUE((*stream)
                  ->copyOut(std::as_writable_bytes(std::span(got)), cuda::pointer((*memory)->base))
                  .ok());
  for (int64_t i = 0; i < blocks * abi::supportThreads; ++i) {
    EXPECT_EQ(got[size_t(2 * i)], i / abi::supportThreads);
    EXPECT_EQ(got[size_t(2 * i + 1)], i % abi::supportThreads);
  }
}
#endif

/// A program with launches; one launch may get invalid addresses.
struct WildProgram {
  WildProgram() : builder(1) {
    buffer = builder.buffer("values", abi::PERSISTENT, abi::F32, {16});
    abi::Section &section = builder.section("main");
    good = builder.launch(section, "relu_backward", {buffer, buffer}, {16});
    good.set_op("good");
    bad = builder.launch(section, "sgd", {buffer, buffer}, {16, 1});
    bad.set_op("bad");
    bad.set_location("model.py:7");
  }
  ProgramBuilder builder;
  uint32_t buffer;
  abi::Instruction good, bad;
};

// An error on the GPU appears when the host waits; the message names the candidates.
TEST(CudaDevice, LateErrorsNameWhatRan) {
  WildProgram program;
  abi::Executable executable = forGpu(program.builder.executable);
  std::unique_ptr<Device> device = open(executable);
  auto space = device->allocate(64);
  ASSERT_TRUE(bool(space));
  std::byte nobodys[64];
  RankMemory memory, wild;
  memory.base[abi::PERSISTENT] = (*space)->base;
  wild.base[abi::PERSISTENT] = nobodys;
  const abi::Program &own = executable.programs(0);
  auto good = device->prepare(program.good, {executable, own, memory, 0});
  auto bad = device->prepare(program.bad, {executable, own, wild, 0});
  ASSERT_TRUE(bool(good) && bool(bad));
  EXPECT_TRUE((*good)->run({}).ok());
  EXPECT_TRUE(device->synchronize().ok());
  EXPECT_TRUE((*bad)->run({}).ok()); // the call only enqueues
  Status status = device->synchronize();
  EXPECT_EQ(status.describe(), "'bad' (model.py:7): 'bad': cuStreamSynchronize: "
                               "CUDA_ERROR_ILLEGAL_ADDRESS: so says the emulator");
}

TEST(CudaDevice, LateErrorsOfSeveralNameTheFirstAndTheLast) {
  WildProgram program;
  abi::Executable executable = forGpu(program.builder.executable);
  std::unique_ptr<Device> device = open(executable);
  std::byte nobodys[64];
  RankMemory wild;
  wild.base[abi::PERSISTENT] = nobodys;
  auto first = device->prepare(program.good, {executable, executable.programs(0), wild, 0});
  auto last = device->prepare(program.bad, {executable, executable.programs(0), wild, 0});
  ASSERT_TRUE(bool(first) && bool(last));
  EXPECT_TRUE((*first)->run({}).ok());
  EXPECT_TRUE((*last)->run({}).ok());
  EXPECT_EQ(device->synchronize().message(),
            "one of 2 instructions from 'good' to 'bad': cuStreamSynchronize: "
            "CUDA_ERROR_ILLEGAL_ADDRESS: so says the emulator");
  Status later = (*last)->run({});
  EXPECT_EQ(later.message(), "cuLaunchKernel: CUDA_ERROR_ILLEGAL_ADDRESS: so says the emulator");
}

// An error that a snapshot reports names the instructions before it. Completed instructions leave
// the list.
TEST(CudaDevice, SnapshotsTellOfWhatWasRunBefore) {
  WildProgram program;
  abi::Executable executable = forGpu(program.builder.executable);
  std::unique_ptr<Device> device = open(executable);
  auto space = device->allocate(64);
  ASSERT_TRUE(bool(space));
  std::byte nobodys[64];
  RankMemory memory, wild;
  memory.base[abi::PERSISTENT] = (*space)->base;
  wild.base[abi::PERSISTENT] = nobodys;
  const abi::Program &own = executable.programs(0);
  auto good = device->prepare(program.good, {executable, own, memory, 0});
  auto bad = device->prepare(program.bad, {executable, own, wild, 0});
  auto before = device->makeSnapshot((*space)->base, 4), behind = device->makeSnapshot(nullptr, 0);
  ASSERT_TRUE(bool(good) && bool(bad) && bool(before) && bool(behind));
  EXPECT_TRUE((*good)->run({}).ok());
  EXPECT_TRUE((*before)->take().ok());
  EXPECT_TRUE((*bad)->run({}).ok());
  EXPECT_TRUE((*behind)->take().ok());
  EXPECT_TRUE(bool((*before)->read()));
  EXPECT_EQ((*behind)->read().status().describe(),
            "'bad' (model.py:7): 'bad': cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS: so says "
            "the emulator");
}

// Host-to-device staging reports errors, too: a run that is bound by its GPU mostly waits there.
TEST(CudaDevice, InletsTellOfWhatWasRunBefore) {
  WildProgram program;
  abi::Executable executable = forGpu(program.builder.executable);
  std::unique_ptr<Device> device = open(executable);
  auto space = device->allocate(64);
  ASSERT_TRUE(bool(space));
  std::byte nobodys[64];
  RankMemory wild;
  wild.base[abi::PERSISTENT] = nobodys;
  auto bad = device->prepare(program.bad, {executable, executable.programs(0), wild, 0});
  auto inlet = device->makeHostToDeviceStaging((*space)->base, 64);
  ASSERT_TRUE(bool(bad) && bool(inlet));
  EXPECT_TRUE((*inlet)->send().ok());
  EXPECT_TRUE((*bad)->run({}).ok());
  EXPECT_TRUE((*inlet)->wait().ok()); // the other image was not sent yet
  EXPECT_TRUE((*inlet)->send().ok());
  EXPECT_TRUE((*inlet)->wait().ok()); // the first transfer has arrived
  EXPECT_TRUE((*inlet)->send().ok()); // waits for the free destination
  EXPECT_TRUE((*inlet)->wait().ok()); // the second one has arrived, too
  EXPECT_TRUE((*inlet)->send().ok());
  EXPECT_EQ((*inlet)->wait().describe(),
            "'bad' (model.py:7): 'bad': cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS: so says "
            "the emulator");
}

// Functions that are not kernels of the program come with the code, as far as the program needs
// them.
TEST(CudaDevice, NamesAMissingFunction) {
  ProgramBuilder builder(1);
  abi::Executable executable = forGpu(builder.executable);
  std::unique_ptr<Device> device = open(executable);
  builder.buffer("values", abi::PERSISTENT, abi::F16, {16});
  abi::Instruction product, attention, convolution, sum;
  product.mutable_matmul()->set_type(abi::F16);
  product.mutable_matmul()->set_result_type(abi::F32);
  attention.mutable_attention()->set_type(abi::BF16);
  convolution.mutable_convolution()->set_type(abi::F32);
  convolution.mutable_convolution()->set_kind(abi::Convolution::WEIGHT_GRADIENT);
  abi::Convolution &none = *convolution.mutable_convolution(); // without elements
  for (auto *list :
       {none.mutable_input_shape(), none.mutable_weight_shape(), none.mutable_result_shape(),
        none.mutable_padding(), none.mutable_strides(), none.mutable_dilations()})
    list->Resize(4, 0);
  sum.mutable_accumulate()->set_source_type(abi::BF16);
  PrepareContext context{builder.executable, builder.program, {}, 0};
  for (auto [instruction, name] :
       {std::pair(&product, "pcc_matmul_f16_f32"), std::pair(&attention, "pcc_attention_bf16"),
        std::pair(&convolution, "pcc_convolution_weight_f32"),
        std::pair(&sum, "pcc_accumulate_bf16")}) {
    Status status = device->prepare(*instruction, context).status();
    EXPECT_EQ(status.exitCode(), 6);
    EXPECT_EQ(status.message(),
              fmt::format("the code has no function '{}'; compile the model anew", name));
  }
}

TEST(CudaDevice, DescribesTheDriver) {
  auto lines = cuda::describeDriver();
  ASSERT_TRUE(bool(lines));
  EXPECT_EQ(*lines, (std::vector<std::string>{"for CUDA 13.0, 1 GPU",
                                              "emulator, compute capability 0.0, 4.0 GiB"}));
}

} // namespace
} // namespace pcc::test
