// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbol names have the version suffixes (_v2) of the prototypes in the header. Environment
// variables are set before cuInit.

#include "runtime/device/cuda/driver/Driver.h"

#include <cstdlib>

namespace pcc::runtime::cuda {

std::vector<Symbol> Driver::table(Driver &driver) {
  return {
      symbol("cuInit", driver.init),
      symbol("cuDriverGetVersion", driver.driverGetVersion),
      symbol("cuGetErrorName", driver.getErrorName),
      symbol("cuGetErrorString", driver.getErrorString),
      symbol("cuDeviceGetCount", driver.deviceGetCount),
      symbol("cuDeviceGet", driver.deviceGet),
      symbol("cuDeviceGetName", driver.deviceGetName),
      symbol("cuDeviceTotalMem_v2", driver.deviceTotalMem),
      symbol("cuDeviceGetAttribute", driver.deviceGetAttribute),
      symbol("cuDevicePrimaryCtxRetain", driver.primaryContextRetain),
      symbol("cuDevicePrimaryCtxRelease_v2", driver.primaryContextRelease),
      symbol("cuCtxSetCurrent", driver.contextSetCurrent),
      symbol("cuStreamCreate", driver.streamCreate),
      symbol("cuCtxGetStreamPriorityRange", driver.contextGetStreamPriorityRange),
      symbol("cuStreamCreateWithPriority", driver.streamCreateWithPriority),
      symbol("cuStreamDestroy_v2", driver.streamDestroy),
      symbol("cuStreamSynchronize", driver.streamSynchronize),
      symbol("cuStreamWaitEvent", driver.streamWaitEvent),
      symbol("cuStreamBeginCapture_v2", driver.streamBeginCapture),
      symbol("cuStreamEndCapture", driver.streamEndCapture),
      symbol("cuGraphInstantiateWithFlags", driver.graphInstantiate),
      symbol("cuGraphDestroy", driver.graphDestroy),
      symbol("cuGraphLaunch", driver.graphLaunch),
      symbol("cuGraphUpload", driver.graphUpload),
      symbol("cuGraphExecDestroy", driver.graphExecDestroy),
      symbol("cuEventCreate", driver.eventCreate),
      symbol("cuEventDestroy_v2", driver.eventDestroy),
      symbol("cuEventRecord", driver.eventRecord),
      symbol("cuEventSynchronize", driver.eventSynchronize),
      symbol("cuModuleLoadDataEx", driver.moduleLoadDataEx),
      symbol("cuModuleUnload", driver.moduleUnload),
      symbol("cuModuleGetFunction", driver.moduleGetFunction),
      symbol("cuLaunchKernel", driver.launchKernel),
      symbol("cuMemGetInfo_v2", driver.memGetInfo),
      symbol("cuMemAlloc_v2", driver.memAlloc),
      symbol("cuMemFree_v2", driver.memFree),
      symbol("cuMemHostAlloc", driver.memHostAlloc),
      symbol("cuMemFreeHost", driver.memFreeHost),
      symbol("cuMemcpyHtoDAsync_v2", driver.memcpyHostToDevice),
      symbol("cuMemcpyDtoHAsync_v2", driver.memcpyDeviceToHost),
      symbol("cuMemcpyDtoDAsync_v2", driver.memcpyDeviceToDevice),
      symbol("cuMemsetD8Async", driver.memsetBytes),
      symbol("cuDeviceGetUuid_v2", driver.deviceGetUuid),
      symbol("cuEventElapsedTime", driver.eventElapsedTime),
  };
}

/// Sets environment variables that the driver reads, unless the user has set them. Streams must
/// progress concurrently: one may wait for a rank that waits for another stream of this rank. So
/// the hardware gets as many queues as possible. All kernels are loaded at once, since loading one
/// later may wait for the whole GPU ("CUDA C++ Programming Guide", appendices on environment
/// variables and on lazy loading).
static void chooseEnvironment() {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
  setenv("CUDA_MODULE_LOADING", "EAGER", /*overwrite=*/0);
}

Expected<Driver> Driver::load() {
  constexpr const char *names[] = {"libcuda.so.1"};
  Driver driver = {};
  if (Status status =
          SharedLibrary::load(names, "install NVIDIA's driver; needs a GPU", table(driver));
      !status.ok())
    return status;
  chooseEnvironment();
  if (Status status = driver.check(driver.init(0), "cuInit"); !status.ok())
    return Status::unavailable(status.message());
  return driver;
}

const Expected<Driver> &Driver::get() {
  static const Expected<Driver> driver = load();
  return driver;
}

Status Driver::check(Result result, std::string_view what) const {
  if (result == Result::Success)
    return {};
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != Result::Success ||
      getErrorString(result, &text) != Result::Success)
    return Status::failed(fmt::format("{}: error {} of the driver", what, int(result)));
  return Status::failed(fmt::format("{}: {}: {}", what, name, text));
}

} // namespace pcc::runtime::cuda
