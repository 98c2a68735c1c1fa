// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that are submitted to a GPU as one graph have the same effect as instructions that
// are enqueued one by one.

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/driver/SideStream.h"
#include "test/emulator/GpuWork.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;

/// Launches that store numbers of the action, each in its own buffer.
class ReplayTest : public testing::Test {
protected:
  /// Adds a launch that stores `constant`, then the number.
  void addLaunch(abi::Scalar::ActionValue value, int64_t constant) {
    uint32_t buffer = builder.buffer("seen", abi::PERSISTENT, abi::I64, {3});
    abi::Section &section = builder.executable.programs(0).sections_size()
                                ? *builder.program.mutable_sections(0)
                                : builder.section("main");
    abi::Instruction &instruction =
        builder.launch(section, "store_scalars", {buffer}, {3, constant, 0, 0});
    instruction.mutable_launch()->mutable_scalars(2)->set_action_value(value);
    instruction.set_op("launch " + std::to_string(section.instructions_size()));
  }

  void prepare() {
    executable = forGpu(builder.executable);
    auto devices = makeCudaDevices(executable, 0, 1);
    ASSERT_TRUE(bool(devices)) << devices.status().describe();
    device = std::move((*devices)[0]);
    device->enterThread();
    space = std::move(*device->allocate(executable.programs(0).memory().persistent_bytes()));
    memory.base[abi::PERSISTENT] = space->base;
    for (const abi::Instruction &instruction : executable.programs(0).sections(0).instructions()) {
      auto ready = device->prepare(instruction, {executable, executable.programs(0), memory, 0});
      ASSERT_TRUE(bool(ready)) << ready.status().describe();
      prepared.push_back(std::move(*ready));
    }
  }

  std::vector<InstructionToRun> all() const {
    std::vector<InstructionToRun> instructions;
    for (size_t i = 0; i < prepared.size(); ++i)
      instructions.push_back(
          {&executable.programs(0).sections(0).instructions(int(i)), prepared[i].get()});
    return instructions;
  }

  std::vector<int64_t> seen(int buffer) {
    std::vector<int64_t> values(2);
    const abi::Buffer &plan = executable.programs(0).memory().buffers(buffer);
    Status status =
        device->copyOut(std::as_writable_bytes(std::span(values)), space->base + plan.offset());
    EXPECT_TRUE(status.ok()) << status.describe();
    return values;
  }

  ProgramBuilder builder{1};
  abi::Executable executable;
  std::unique_ptr<Device> device;
  std::unique_ptr<Allocation> space;
  RankMemory memory;
  std::vector<std::unique_ptr<PreparedInstruction>> prepared;
};

TEST_F(ReplayTest, DoesTheSameInEverySlot) {
  addLaunch(abi::Scalar::MICROBATCH, 7);
  addLaunch(abi::Scalar::FIRST, 8);
  addLaunch(abi::Scalar::NONE, 9);
  prepare();
  std::unique_ptr<PreparedInstruction> whole = device->join(all());
  ASSERT_TRUE(whole);
  ActionValueUse use = whole->uses();
  EXPECT_TRUE(use.microbatch && use.first);
  EXPECT_FALSE(use.copy || use.step);
  for (int64_t step = 0; step < 4; ++step)
    for (int64_t microbatch = 0; microbatch < 3; ++microbatch) {
      ActionValues action{.microbatch = microbatch, .first = microbatch == 0, .step = step};
      ASSERT_TRUE(whole->run(action).ok());
      if (step > 0 && microbatch < 2) // other microbatches never get there
        whole->makeReady(action);
      EXPECT_EQ(seen(0), (std::vector<int64_t>{7, microbatch}));
      EXPECT_EQ(seen(1), (std::vector<int64_t>{8, microbatch == 0}));
      EXPECT_EQ(seen(2), (std::vector<int64_t>{9, 0}));
    }
}

// An error in a graph names the graph's instructions.
TEST_F(ReplayTest, ErrorsNameTheRecords) {
  addLaunch(abi::Scalar::NONE, 1);
  addLaunch(abi::Scalar::NONE, 2);
  prepare();
  std::unique_ptr<PreparedInstruction> whole = device->join(all());
  ASSERT_TRUE(whole->run({}).ok());
  ASSERT_TRUE(device->synchronize().ok());
  whole->makeReady({});
  space.reset();
  ASSERT_TRUE(whole->run({}).ok()); // the call only enqueues
  EXPECT_EQ(device->synchronize().message(),
            "one of 2 instructions from 'launch 1' to 'launch 2': cuStreamSynchronize: "
            "CUDA_ERROR_ILLEGAL_ADDRESS: so says the emulator");
}

// A run allocates nothing from the driver: an allocation may wait for the whole device, and another
// stream may wait for this rank.
TEST_F(ReplayTest, NoRunWaits) {
  addLaunch(abi::Scalar::NONE, 1);
  addLaunch(abi::Scalar::NONE, 2);
  prepare();
  std::unique_ptr<PreparedInstruction> whole = device->join(all()), late = device->join(all());
  whole->makeReady({});
  auto side = cuda::SideStream::make(cuda::partsOf(*device).stream.gpu);
  ASSERT_TRUE(bool(side));
  std::atomic<bool> hasCome = false;
  ASSERT_EQ(
      enqueueMeeting((*side)->get(), {},
                     [&] { return hasCome ? cuda::Result::Success : cuda::Result::NotReady; }),
      cuda::Result::Success);
  std::thread peer([&] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    hasCome = true;
    retryWork();
  });
  int64_t begin = nowNanoseconds();
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(whole->run({}).ok() && late->run({}).ok());
  EXPECT_TRUE(device->copyIn(space->base, std::as_bytes(std::span("now"))).ok());
  EXPECT_EQ(seen(1)[0], 2);
  EXPECT_LT(double(nowNanoseconds() - begin) / 1e9, 4);
  hasCome = true;
  retryWork();
  EXPECT_TRUE((*side)->synchronize().ok()); // the meeting refers to `hasCome`
  peer.join();
}

/// An instruction that waits for the device, which no capture allows.
class Waits final : public PreparedInstruction {
public:
  explicit Waits(Device &device) : device(device) {}
  ActionValueUse uses() const override { return {}; }
  Status run(const ActionValues &) override {
    ++runs;
    return device.synchronize();
  }
  int runs = 0;

private:
  Device &device;
};

TEST_F(ReplayTest, RunsWhatCannotBeCapturedAsItIs) {
  addLaunch(abi::Scalar::COPY, 3);
  prepare();
  Waits waits(*device);
  std::vector<InstructionToRun> instructions = all();
  instructions.push_back({instructions[0].instruction, &waits});
  std::unique_ptr<PreparedInstruction> whole = device->join(instructions);
  for (int64_t run = 0; run < 4; ++run) {
    Status status = whole->run({.copy = 5});
    ASSERT_TRUE(status.ok()) << status.describe();
    EXPECT_EQ(seen(0), (std::vector<int64_t>{3, 5}));
    whole->makeReady({.copy = 5});
  }
  EXPECT_EQ(waits.runs, 5) << "four runs and one try to capture";
}

} // namespace
} // namespace pcc::test
