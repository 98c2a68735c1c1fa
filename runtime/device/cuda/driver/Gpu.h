// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One GPU of this machine, with the context in which the ranks of a process use it.

#ifndef PCC_RUNTIME_DEVICE_CUDA_DRIVER_GPU_H
#define PCC_RUNTIME_DEVICE_CUDA_DRIVER_GPU_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/driver/Driver.h"

namespace pcc::runtime::cuda {

/// What a GPU says of itself.
struct GpuFacts {
  std::string name;
  /// Compute capability: 9, 0 runs code for sm_90.
  int major = 0, minor = 0;
  uint64_t bytes = 0;
  Uuid uuid = {};
};

Expected<int> countGpus(const Driver &driver);
Expected<GpuFacts> factsOf(const Driver &driver, int ordinal);

class Gpu {
public:
  /// Makes the context; errors: the driver's.
  static Expected<std::shared_ptr<const Gpu>> open(const Driver &driver, int ordinal);
  Gpu(const Driver &driver, DeviceNumber number, GpuFacts facts, ContextHandle context)
      : driver(driver), facts(std::move(facts)), number(number), context(context) {}
  ~Gpu() { driver.primaryContextRelease(number); }

  /// Makes the calling thread's further calls of the driver mean this GPU.
  Status enter() const {
    return driver.check(driver.contextSetCurrent(context), "cuCtxSetCurrent");
  }

  const Driver &driver;
  const GpuFacts facts;

private:
  const DeviceNumber number;
  const ContextHandle context;
};

/// Memory of `bytes` bytes of undefined content. Error: how much there is.
Expected<std::unique_ptr<Allocation>> allocateOn(std::shared_ptr<const Gpu> gpu, uint64_t bytes);

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_DRIVER_GPU_H
