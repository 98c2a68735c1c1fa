// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/HostToDeviceStaging.h"

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

} // namespace pcc::runtime::cuda
