// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the primary context, retained by open() and released by the destructor. An allocation enters
// its GPU before it frees, so any thread may destroy it. describeDriver() is here, since it needs
// the properties of the GPUs.

#include "runtime/device/cuda/driver/Gpu.h"

#include <algorithm>

namespace pcc::runtime::cuda {
namespace {

class GpuAllocation final : public Allocation {
public:
  GpuAllocation(std::shared_ptr<const Gpu> gpu, DevicePointer address)
      : Allocation(reinterpret_cast<std::byte *>(address)), gpu(std::move(gpu)) {}
  ~GpuAllocation() override {
    if (gpu->enter().ok())
      gpu->driver.memFree(pointer(base));
  }

private:
  std::shared_ptr<const Gpu> gpu;
};

} // namespace

Expected<int> countGpus(const Driver &driver) {
  int count = 0;
  if (Status status = driver.check(driver.deviceGetCount(&count), "cuDeviceGetCount"); !status.ok())
    return Status::unavailable(status.message());
  return count;
}

Expected<GpuProperties> propertiesOf(const Driver &driver, int ordinal) {
  DeviceNumber number = 0;
  GpuProperties properties;
  size_t bytes = 0;
  char name[256] = "";
  const std::pair<Result, const char *> calls[] = {
      {driver.deviceGet(&number, ordinal), "cuDeviceGet"},
      {driver.deviceGetName(name, sizeof name, number), "cuDeviceGetName"},
      {driver.deviceTotalMem(&bytes, number), "cuDeviceTotalMem"},
      {driver.deviceGetUuid(&properties.uuid, number), "cuDeviceGetUuid"},
      {driver.deviceGetAttribute(&properties.major, Attribute::CapabilityMajor, number),
       "cuDeviceGetAttribute"},
      {driver.deviceGetAttribute(&properties.minor, Attribute::CapabilityMinor, number),
       "cuDeviceGetAttribute"}};
  for (auto [result, call] : calls)
    if (Status status = driver.check(result, call); !status.ok())
      return status;
  properties.name = name;
  properties.bytes = bytes;
  return properties;
}

Expected<std::vector<std::string>> describeDriver() {
  const Expected<Driver> &driver = Driver::get();
  if (!driver)
    return driver.status();
  Expected<int> count = countGpus(*driver);
  int version = 0;
  Status status = driver->check(driver->driverGetVersion(&version), "cuDriverGetVersion");
  if (!count || !status.ok())
    return count ? status : count.status();
  std::vector<std::string> lines = {fmt::format("for CUDA {}.{}, {} GPU{}", version / 1000,
                                                version % 1000 / 10, *count,
                                                *count == 1 ? "" : "s")};
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    Expected<GpuProperties> properties = propertiesOf(*driver, ordinal);
    if (!properties)
      return properties.status();
    lines.push_back(fmt::format("{}, compute capability {}.{}, {:.1f} GiB", properties->name,
                                properties->major, properties->minor,
                                double(properties->bytes) / (1 << 30)));
  }
  return lines;
}

Expected<std::shared_ptr<const Gpu>> Gpu::open(const Driver &driver, int ordinal) {
  Expected<GpuProperties> properties = propertiesOf(driver, ordinal);
  if (!properties)
    return properties.status();
  DeviceNumber number = 0;
  ContextHandle context = nullptr;
  if (Status status = driver.check(driver.deviceGet(&number, ordinal), "cuDeviceGet"); !status.ok())
    return status;
  if (Status status =
          driver.check(driver.primaryContextRetain(&context, number), "cuDevicePrimaryCtxRetain");
      !status.ok())
    return status;
  return std::make_shared<const Gpu>(driver, number, std::move(*properties), context);
}

Expected<std::unique_ptr<Allocation>> allocateOn(std::shared_ptr<const Gpu> gpu, uint64_t bytes) {
  if (Status status = gpu->enter(); !status.ok())
    return status;
  DevicePointer address = 0;
  // The driver refuses to allocate zero bytes; a space may be empty.
  Result result = gpu->driver.memAlloc(&address, std::max<uint64_t>(1, bytes));
  if (result == Result::OutOfMemory) {
    size_t free = 0, total = 0;
    gpu->driver.memGetInfo(&free, &total);
    return Status::failed(fmt::format("no memory for {} bytes on '{}', which has {} of {} left",
                                      bytes, gpu->properties.name, free, total));
  }
  if (Status status = gpu->driver.check(result, "cuMemAlloc"); !status.ok())
    return status;
  return std::unique_ptr<Allocation>(std::make_unique<GpuAllocation>(std::move(gpu), address));
}

} // namespace pcc::runtime::cuda
