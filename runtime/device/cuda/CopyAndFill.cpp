// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills.

#include "runtime/device/cuda/Instructions.h"

namespace pcc::runtime::cuda {
namespace {

class CopyInstruction final : public PreparedInstruction {
public:
  CopyInstruction(const abi::Instruction &instruction, DevicePointer destination,
                  DevicePointer source, Stream &stream)
      : instruction(instruction), destination(destination), source(source), stream(stream) {}

  ActionValueUse uses() const override { return {}; }
  Status run(const ActionValues &) override {
    uint64_t bytes = instruction.copy().bytes();
    if (bytes == 0)
      return {};
    return stream.enqueued(
        instruction, stream.driver().memcpyDeviceToDevice(destination, source, bytes, stream.get()),
        "cuMemcpyDtoDAsync");
  }

private:
  const abi::Instruction &instruction;
  const DevicePointer destination, source;
  Stream &stream;
};

class FillInstruction final : public PreparedInstruction {
public:
  FillInstruction(const abi::Instruction &instruction, DevicePointer destination, Stream &stream)
      : instruction(instruction), destination(destination), stream(stream) {}

  ActionValueUse uses() const override { return {}; }
  Status run(const ActionValues &) override {
    uint64_t bytes = instruction.fill().bytes();
    if (bytes == 0)
      return {};
    return stream.enqueued(instruction,
                           stream.driver().memsetBytes(destination, 0, bytes, stream.get()),
                           "cuMemsetD8Async");
  }

private:
  const abi::Instruction &instruction;
  const DevicePointer destination;
  Stream &stream;
};

} // namespace

PreparedPointer prepareCopy(const abi::Instruction &instruction, const PrepareContext &context,
                            RankParts parts) {
  auto address = [&](const abi::Operand &operand) {
    return pointer(context.memory.address(context.program, operand));
  };
  return std::make_unique<CopyInstruction>(instruction, address(instruction.copy().destination()),
                                           address(instruction.copy().source()), parts.stream);
}

PreparedPointer prepareFill(const abi::Instruction &instruction, const PrepareContext &context,
                            RankParts parts) {
  return std::make_unique<FillInstruction>(
      instruction,
      pointer(context.memory.address(context.program, instruction.fill().destination())),
      parts.stream);
}

} // namespace pcc::runtime::cuda
