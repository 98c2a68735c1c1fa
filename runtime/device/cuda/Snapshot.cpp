// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/Snapshot.h"

#include "runtime/device/cuda/driver/PinnedMemory.h"

namespace pcc::runtime::cuda {
namespace {

class CudaSnapshot final : public Snapshot {
public:
  CudaSnapshot(Stream &stream, DevicePointer source, PinnedMemory onHost, Event taken)
      : stream(stream), source(source), onHost(std::move(onHost)), taken(std::move(taken)) {}
  ~CudaSnapshot() override { (void)taken.synchronize(); }

  Status take() override {
    const Driver &driver = stream.driver();
    Status status = stream.gpu->enter();
    if (status.ok() && !onHost.bytes().empty())
      status = driver.check(
          driver.memcpyDeviceToHost(onHost.data(), source, onHost.bytes().size(), stream.get()),
          "cuMemcpyDtoHAsync");
    if (!status.ok())
      return stream.withInstructions(std::move(status));
    Expected<uint64_t> marked = stream.mark(taken);
    if (!marked)
      return marked.status();
    place = *marked;
    return {};
  }
  Expected<std::span<const std::byte>> read() override {
    if (Status status = stream.synchronize(taken, place); !status.ok())
      return status;
    return std::span<const std::byte>(onHost.bytes());
  }

private:
  Stream &stream;
  const DevicePointer source;
  const PinnedMemory onHost;
  Event taken;
  uint64_t place = 0;
};

} // namespace

Expected<std::unique_ptr<Snapshot>> makeSnapshot(Stream &stream, DevicePointer source,
                                                 uint64_t bytes) {
  auto onHost = PinnedMemory::make(stream.gpu, bytes);
  if (!onHost)
    return onHost.status();
  Expected<Event> taken = Event::make(stream.gpu);
  if (!taken)
    return taken.status();
  return std::unique_ptr<Snapshot>(
      std::make_unique<CudaSnapshot>(stream, source, std::move(*onHost), std::move(*taken)));
}

} // namespace pcc::runtime::cuda
