// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of the program's own kernels.

#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Records.h"

namespace pcc::runtime::cuda {
namespace {

class LaunchRecord final : public PreparedRecord {
public:
  LaunchRecord(const abi::Record &record, LaunchScalars scalars, Call call, Stream &stream)
      : record(record), scalars(std::move(scalars)), call(std::move(call)), stream(stream) {}

  SlotUse uses() const override { return scalars.uses(); }
  Status run(const SlotValues &slot) override {
    call.scalars = scalars.at(slot);
    return call.run(record, stream);
  }

private:
  const abi::Record &record;
  LaunchScalars scalars;
  Call call;
  Stream &stream;
};

} // namespace

Expected<PreparedPointer> prepareLaunch(const abi::Record &record, const PrepareContext &context,
                                        RankParts parts) {
  const abi::Launch &launch = record.launch();
  if (Status status = checkGrid(launch.trip()); !status.ok())
    return status;
  std::vector<std::byte *> buffers;
  for (const abi::Operand &operand : launch.operands())
    buffers.push_back(context.memory.address(context.program, operand));
  LaunchScalars scalars(launch, context);
  Call call(parts.code.kernel(launch.kernel()), launch.trip(),
            context.executable.kernels(int(launch.kernel())).threads(), std::move(buffers),
            scalars.at({}));
  return PreparedPointer(
      std::make_unique<LaunchRecord>(record, std::move(scalars), std::move(call), parts.stream));
}

} // namespace pcc::runtime::cuda
