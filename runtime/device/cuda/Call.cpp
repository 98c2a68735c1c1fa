// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids and blocks have one dimension, and no launch uses dynamic shared memory. The driver reads
// arguments through pointers, which are listed anew at each launch.

#include "runtime/device/cuda/Call.h"

#include <limits>

namespace pcc::runtime::cuda {

Call::Call(FunctionHandle function, int64_t blocks, uint32_t threads,
           std::vector<std::byte *> buffers, std::span<const int64_t> scalars)
    : scalars(scalars.begin(), scalars.end()), function(function), blocks(blocks), threads(threads),
      buffers(std::move(buffers)), parameters(this->buffers.size() + this->scalars.size()) {}

Result Call::enqueue(const Driver &driver, StreamHandle stream) {
  if (blocks == 0)
    return Result::Success;
  size_t next = 0;
  for (std::byte *&buffer : buffers)
    parameters[next++] = &buffer;
  for (int64_t &scalar : scalars)
    parameters[next++] = &scalar;
  return driver.launchKernel(function, unsigned(blocks), 1, 1, threads, 1, 1, /*sharedBytes=*/0,
                             stream, parameters.data(), nullptr);
}

Status Call::run(const abi::Instruction &instruction, Stream &stream) {
  if (blocks == 0)
    return {};
  return stream.enqueued(instruction, enqueue(stream.driver(), stream.get()), "cuLaunchKernel");
}

namespace {

class CallsInstruction final : public PreparedInstruction {
public:
  CallsInstruction(const abi::Instruction &instruction, std::vector<Call> calls, Stream &stream)
      : instruction(instruction), calls(std::move(calls)), stream(stream) {}

  ActionValueUse uses() const override { return {}; }
  Status run(const ActionValues &) override {
    for (Call &call : calls)
      if (Status status = call.run(instruction, stream); !status.ok())
        return status;
    return {};
  }

private:
  const abi::Instruction &instruction;
  std::vector<Call> calls;
  Stream &stream;
};

} // namespace

std::unique_ptr<PreparedInstruction> prepareCalls(const abi::Instruction &instruction,
                                                  std::vector<Call> calls, Stream &stream) {
  return std::make_unique<CallsInstruction>(instruction, std::move(calls), stream);
}

Status checkGrid(int64_t blocks) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (blocks <= most)
    return {};
  return Status::unavailable(fmt::format("expected {} blocks at most, got {}", most, blocks));
}

} // namespace pcc::runtime::cuda
