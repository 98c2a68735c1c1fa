// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/machine/Roofline.h"

#include <algorithm>

namespace pcc::machine {

double computeRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                   abi::ElementType type) {
  double ofType = 0, ofF32 = 0;
  for (const abi::ComputeRate &rate : device.rate()) {
    if (rate.compute_class() != computeClass)
      continue;
    if (rate.type() == type)
      ofType = rate.flops_per_second().value();
    if (rate.type() == abi::F32)
      ofF32 = rate.flops_per_second().value();
  }
  return ofType ? ofType : ofF32;
}

double productSeconds(const abi::DeviceFigures &device, abi::ElementType type,
                      const Product &product) {
  return product.flops() / computeRate(device, abi::CONTRACTION, type);
}

double moveSeconds(const abi::DeviceFigures &device, double bytes) {
  return device.launch_seconds().value() + bytes / device.memory_bytes_per_second().value();
}

double computeSeconds(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                      abi::ElementType type, double flops, double bytes) {
  double computing = flops / computeRate(device, computeClass, type);
  return std::max(device.launch_seconds().value() + computing, moveSeconds(device, bytes));
}

} // namespace pcc::machine
