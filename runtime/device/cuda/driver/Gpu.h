// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One GPU of this machine, with the context in which the ranks of a process use it.

#pragma once

#include "runtime/device/Device.h"
#include "runtime/device/cuda/driver/Driver.h"

namespace pcc::runtime::cuda {

/// The properties of a GPU.
struct GpuProperties {
  std::string name;
  /// Compute capability: 9, 0 runs code for sm_90.
  int major = 0, minor = 0;
  uint64_t bytes = 0;
  Uuid uuid = {};
};

Expected<int> countGpus(const Driver &driver);
Expected<GpuProperties> propertiesOf(const Driver &driver, int ordinal);

class Gpu {
public:
  /// Creates the context. Errors: driver errors.
  static Expected<std::shared_ptr<const Gpu>> open(const Driver &driver, int ordinal);
  Gpu(const Driver &driver, DeviceNumber number, GpuProperties properties, ContextHandle context)
      : driver(driver), properties(std::move(properties)), number(number), context(context) {}
  ~Gpu() { driver.primaryContextRelease(number); }

  /// Makes this GPU current for the calling thread's further driver calls.
  Status enter() const {
    return driver.check(driver.contextSetCurrent(context), "cuCtxSetCurrent");
  }

  const Driver &driver;
  const GpuProperties properties;

private:
  const DeviceNumber number;
  const ContextHandle context;
};

/// Allocates `bytes` bytes with undefined content. The error tells how much memory is left.
Expected<std::unique_ptr<Allocation>> allocateOn(std::shared_ptr<const Gpu> gpu, uint64_t bytes);

} // namespace pcc::runtime::cuda
