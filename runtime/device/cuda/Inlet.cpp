// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/Inlet.h"

#include "runtime/device/cuda/driver/PinnedMemory.h"

namespace pcc::runtime::cuda {
namespace {

class CudaInlet final : public Inlet {
public:
  CudaInlet(Stream &stream, std::shared_ptr<SideStream> copies, DevicePointer destination,
            PinnedMemory onHost, std::unique_ptr<Allocation> onGpu, Event came, Event moved)
      : stream(stream), copies(std::move(copies)), destination(destination),
        onHost(std::move(onHost)), onGpu(std::move(onGpu)), came(std::move(came)),
        moved(std::move(moved)) {}
  ~CudaInlet() override {
    (void)came.synchronise();
    (void)moved.synchronise();
  }

  std::byte *image() override { return onHost.data(); }
  Status wait() override { return stream.tellRecords(came.synchronise()); }
  Status send() override {
    if (onHost.bytes().empty())
      return {};
    Status status = stream.gpu->enter();
    if (status.ok())
      status = copy();
    return stream.tellRecords(status.ok() ? move() : std::move(status));
  }

private:
  Status copy();
  Status move();

  Stream &stream;
  const std::shared_ptr<SideStream> copies;
  const DevicePointer destination;
  const PinnedMemory onHost;
  const std::unique_ptr<Allocation> onGpu;
  Event came, moved;
};

Status CudaInlet::copy() {
  const Driver &driver = stream.driver();
  if (Status status = copies->waitFor(moved); !status.ok())
    return status;
  if (Status status = driver.check(driver.memcpyHostToDevice(pointer(onGpu->base), onHost.data(),
                                                             onHost.bytes().size(), copies->get()),
                                   "cuMemcpyHtoDAsync");
      !status.ok())
    return status;
  return copies->record(came);
}

Status CudaInlet::move() {
  const Driver &driver = stream.driver();
  if (Status status = stream.waitFor(came); !status.ok())
    return status;
  if (Status status = driver.check(driver.memcpyDeviceToDevice(destination, pointer(onGpu->base),
                                                               onHost.bytes().size(), stream.get()),
                                   "cuMemcpyDtoDAsync");
      !status.ok())
    return status;
  return stream.record(moved);
}

} // namespace

Expected<std::unique_ptr<Inlet>> makeInlet(Stream &stream, std::shared_ptr<SideStream> copies,
                                           DevicePointer destination, uint64_t bytes) {
  auto onHost = PinnedMemory::make(stream.gpu, bytes);
  if (!onHost)
    return onHost.status();
  auto onGpu = allocateOn(stream.gpu, bytes);
  if (!onGpu)
    return onGpu.status();
  Expected<Event> came = Event::make(stream.gpu), moved = Event::make(stream.gpu);
  if (!came || !moved)
    return came ? moved.status() : came.status();
  return std::unique_ptr<Inlet>(std::make_unique<CudaInlet>(stream, std::move(copies), destination,
                                                            std::move(*onHost), std::move(*onGpu),
                                                            std::move(*came), std::move(*moved)));
}

} // namespace pcc::runtime::cuda
