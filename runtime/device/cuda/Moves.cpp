// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills.

#include "runtime/device/cuda/Records.h"

namespace pcc::runtime::cuda {
namespace {

class CopyRecord final : public PreparedRecord {
public:
  CopyRecord(const abi::Record &record, DevicePointer destination, DevicePointer source,
             Stream &stream)
      : record(record), destination(destination), source(source), stream(stream) {}

  SlotUse uses() const override { return {}; }
  Status run(const SlotValues &) override {
    uint64_t bytes = record.copy().bytes();
    if (bytes == 0)
      return {};
    return stream.enqueued(
        record, stream.driver().memcpyDeviceToDevice(destination, source, bytes, stream.get()),
        "cuMemcpyDtoDAsync");
  }

private:
  const abi::Record &record;
  const DevicePointer destination, source;
  Stream &stream;
};

class FillRecord final : public PreparedRecord {
public:
  FillRecord(const abi::Record &record, DevicePointer destination, Stream &stream)
      : record(record), destination(destination), stream(stream) {}

  SlotUse uses() const override { return {}; }
  Status run(const SlotValues &) override {
    uint64_t bytes = record.fill().bytes();
    if (bytes == 0)
      return {};
    return stream.enqueued(record, stream.driver().memsetBytes(destination, 0, bytes, stream.get()),
                           "cuMemsetD8Async");
  }

private:
  const abi::Record &record;
  const DevicePointer destination;
  Stream &stream;
};

} // namespace

PreparedPointer prepareCopy(const abi::Record &record, const PrepareContext &context,
                            RankParts parts) {
  auto address = [&](const abi::Operand &operand) {
    return pointer(context.memory.address(context.program, operand));
  };
  return std::make_unique<CopyRecord>(record, address(record.copy().destination()),
                                      address(record.copy().source()), parts.stream);
}

PreparedPointer prepareFill(const abi::Record &record, const PrepareContext &context,
                            RankParts parts) {
  return std::make_unique<FillRecord>(
      record, pointer(context.memory.address(context.program, record.fill().destination())),
      parts.stream);
}

} // namespace pcc::runtime::cuda
