// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of the program's own kernels.

#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Instructions.h"

namespace pcc::runtime::cuda {
namespace {

class LaunchInstruction final : public PreparedInstruction {
public:
  LaunchInstruction(const abi::Instruction &instruction, LaunchScalars scalars, Call call,
                    Stream &stream)
      : instruction(instruction), scalars(std::move(scalars)), call(std::move(call)),
        stream(stream) {}

  ActionValueUse uses() const override { return scalars.uses(); }
  Status run(const ActionValues &action) override {
    call.scalars = scalars.at(action);
    return call.run(instruction, stream);
  }

private:
  const abi::Instruction &instruction;
  LaunchScalars scalars;
  Call call;
  Stream &stream;
};

} // namespace

Expected<PreparedPointer> prepareLaunch(const abi::Instruction &instruction,
                                        const PrepareContext &context, RankParts parts) {
  const abi::Launch &launch = instruction.launch();
  if (Status status = checkGrid(launch.trip()); !status.ok())
    return status;
  std::vector<std::byte *> buffers;
  for (const abi::Operand &operand : launch.operands())
    buffers.push_back(context.memory.address(context.program, operand));
  LaunchScalars scalars(launch, context);
  Call call(parts.code.kernel(launch.kernel()), launch.trip(),
            context.executable.kernels(int(launch.kernel())).threads(), std::move(buffers),
            scalars.at({}));
  return PreparedPointer(std::make_unique<LaunchInstruction>(instruction, std::move(scalars),
                                                             std::move(call), parts.stream));
}

} // namespace pcc::runtime::cuda
