// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/HostTransfers.h"

#include "runtime/device/cuda/driver/PinnedMemory.h"

namespace pcc::runtime::cuda {
namespace {

class CudaHostToDeviceStaging final : public HostToDeviceStaging {
public:
  CudaHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                          DevicePointer destination, PinnedMemory onHost,
                          std::unique_ptr<Allocation> onGpu, Event arrived, Event moved)
      : stream(stream), copies(std::move(copies)), destination(destination),
        onHost(std::move(onHost)), onGpu(std::move(onGpu)), arrived(std::move(arrived)),
        moved(std::move(moved)) {}
  ~CudaHostToDeviceStaging() override {
    (void)arrived.synchronize();
    (void)moved.synchronize();
  }

  std::byte *image() override { return onHost.data(); }
  Status wait() override { return stream.withInstructions(arrived.synchronize()); }
  Status send() override {
    if (onHost.bytes().empty())
      return {};
    Status status = stream.gpu->enter();
    if (status.ok())
      status = copy();
    return stream.withInstructions(status.ok() ? move() : std::move(status));
  }

private:
  Status copy();
  Status move();

  Stream &stream;
  const std::shared_ptr<SideStream> copies;
  const DevicePointer destination;
  const PinnedMemory onHost;
  const std::unique_ptr<Allocation> onGpu;
  Event arrived, moved;
};

Status CudaHostToDeviceStaging::copy() {
  const Driver &driver = stream.driver();
  if (Status status = copies->waitFor(moved); !status.ok())
    return status;
  if (Status status = driver.check(driver.memcpyHostToDevice(pointer(onGpu->base), onHost.data(),
                                                             onHost.bytes().size(), copies->get()),
                                   "cuMemcpyHtoDAsync");
      !status.ok())
    return status;
  return copies->record(arrived);
}

Status CudaHostToDeviceStaging::move() {
  const Driver &driver = stream.driver();
  if (Status status = stream.waitFor(arrived); !status.ok())
    return status;
  if (Status status = driver.check(driver.memcpyDeviceToDevice(destination, pointer(onGpu->base),
                                                               onHost.bytes().size(), stream.get()),
                                   "cuMemcpyDtoDAsync");
      !status.ok())
    return status;
  return stream.record(moved);
}

} // namespace

Expected<std::unique_ptr<HostToDeviceStaging>>
makeHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                        DevicePointer destination, uint64_t bytes) {
  auto onHost = PinnedMemory::make(stream.gpu, bytes);
  if (!onHost)
    return onHost.status();
  auto onGpu = allocateOn(stream.gpu, bytes);
  if (!onGpu)
    return onGpu.status();
  Expected<Event> arrived = Event::make(stream.gpu), moved = Event::make(stream.gpu);
  if (!arrived || !moved)
    return arrived ? moved.status() : arrived.status();
  return std::unique_ptr<HostToDeviceStaging>(std::make_unique<CudaHostToDeviceStaging>(
      stream, std::move(copies), destination, std::move(*onHost), std::move(*onGpu),
      std::move(*arrived), std::move(*moved)));
}

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
