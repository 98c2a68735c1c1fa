// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/device/RunInstruction.h"

#include "runtime/device/host/HostDevice.h"

#include <gtest/gtest.h>

#include <thread>

namespace pcc::test {

using namespace runtime;

std::vector<float> randomFloats(std::mt19937 &random, int64_t count) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(random);
  return values;
}

std::vector<float> runInstruction(ProgramBuilder &builder, const abi::Instruction &instruction,
                                  const BufferValues &values, uint32_t out, int threads,
                                  const ActionValues &action) {
  builder.executable.clear_kernels();
  auto devices = makeHostDevices(builder.executable, threads);
  EXPECT_TRUE(bool(devices)) << devices.status().message();
  return runRecordOn(*(*devices)[0], builder, instruction, values, out, action);
}

std::vector<float> runRecordOn(Device &device, ProgramBuilder &builder,
                               const abi::Instruction &instruction, const BufferValues &values,
                               uint32_t out, const ActionValues &action) {
  device.enterThread();
  auto space = std::move(*device.allocate(builder.program.memory().persistent_bytes()));
  RankMemory memory;
  memory.base[abi::PERSISTENT] = space->base;
  auto address = [&](uint32_t buffer) {
    abi::Operand operand;
    operand.set_buffer(buffer);
    return memory.address(builder.program, operand);
  };
  for (const auto &[buffer, list] : values)
    EXPECT_TRUE(device.copyIn(address(buffer), std::as_bytes(std::span(list))).ok());
  auto prepared = device.prepare(instruction, {builder.executable, builder.program, memory, 0});
  EXPECT_TRUE(bool(prepared)) << prepared.status().message();
  // Runs on another thread than the one that prepared the instruction, as an executor may do.
  std::thread([&] {
    device.enterThread();
    EXPECT_TRUE((*prepared)->run(action).ok());
  }).join();
  std::vector<float> result(builder.program.memory().buffers(int(out)).bytes() / sizeof(float));
  Status status = device.copyOut(std::as_writable_bytes(std::span(result)), address(out));
  EXPECT_TRUE(status.ok()) << status.describe();
  return result;
}

} // namespace pcc::test
