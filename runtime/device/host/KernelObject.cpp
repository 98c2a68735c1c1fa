// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/host/KernelObject.h"

#include "runtime/base/CpuFeatures.h"

namespace pcc::runtime::host {

Expected<std::shared_ptr<const KernelObject>>
KernelObject::load(const abi::Executable &executable) {
  if (executable.has_gpu_code())
    return Status::unavailable(fmt::format(
        "the program was compiled for GPUs ({}), this device is the host: compile it with "
        "--target=host",
        executable.gpu_code().chip()));
  if (Status status = checkCpuFeatures(executable.object().cpu_features()); !status.ok())
    return status;
  auto object = std::make_shared<KernelObject>();
  if (executable.kernels_size() == 0)
    return std::shared_ptr<const KernelObject>(object);
  Expected<SharedLibrary> library =
      SharedLibrary::openImage("kernels of " + executable.name(), executable.object().elf());
  if (!library)
    return library.status();
  object->library = std::move(*library);
  for (const abi::Kernel &kernel : executable.kernels()) {
    void *address = object->library.address(kernel.symbol().c_str());
    if (!address)
      return Status::badInput(fmt::format("kernel '{}': the object has no symbol '{}'",
                                          kernel.name(), kernel.symbol()));
    object->functions.push_back(reinterpret_cast<KernelFunction>(address));
  }
  return std::shared_ptr<const KernelObject>(object);
}

} // namespace pcc::runtime::host
