// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of the CUDA driver API with NVIDIA's: prototypes, numbers, and names
// with their versions. Built if there is a cuda.h.

#include "runtime/device/cuda/driver/Driver.h"
#include "test/unit/runtime/device/HeaderShape.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <set>

namespace pcc::test {
namespace {

using namespace runtime::cuda;

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)
/// Checks that a field of the table has the prototype of the function, and records the name with
/// the header's version suffix.
#define SAME(field, function)                                                                      \
  static_assert(sameShape<decltype(Driver::field), decltype(&::function)>);                        \
  names.insert(NAME_OF(function))

TEST(DriverHeader, PrototypesAndNames) {
  std::set<std::string> names;
  SAME(init, cuInit);
  SAME(driverGetVersion, cuDriverGetVersion);
  SAME(getErrorName, cuGetErrorName);
  SAME(getErrorString, cuGetErrorString);
  SAME(deviceGetCount, cuDeviceGetCount);
  SAME(deviceGet, cuDeviceGet);
  SAME(deviceGetName, cuDeviceGetName);
  SAME(deviceTotalMem, cuDeviceTotalMem);
  SAME(deviceGetAttribute, cuDeviceGetAttribute);
  SAME(primaryContextRetain, cuDevicePrimaryCtxRetain);
  SAME(primaryContextRelease, cuDevicePrimaryCtxRelease);
  SAME(contextSetCurrent, cuCtxSetCurrent);
  SAME(streamCreate, cuStreamCreate);
  SAME(contextGetStreamPriorityRange, cuCtxGetStreamPriorityRange);
  SAME(streamCreateWithPriority, cuStreamCreateWithPriority);
  SAME(streamDestroy, cuStreamDestroy);
  SAME(streamSynchronize, cuStreamSynchronize);
  SAME(streamWaitEvent, cuStreamWaitEvent);
  SAME(streamBeginCapture, cuStreamBeginCapture);
  SAME(streamEndCapture, cuStreamEndCapture);
  SAME(graphInstantiate, cuGraphInstantiateWithFlags);
  SAME(graphDestroy, cuGraphDestroy);
  SAME(graphLaunch, cuGraphLaunch);
  SAME(graphUpload, cuGraphUpload);
  SAME(graphExecDestroy, cuGraphExecDestroy);
  SAME(eventCreate, cuEventCreate);
  SAME(eventDestroy, cuEventDestroy);
  SAME(eventRecord, cuEventRecord);
  SAME(eventSynchronize, cuEventSynchronize);
  SAME(moduleLoadDataEx, cuModuleLoadDataEx);
  SAME(moduleUnload, cuModuleUnload);
  SAME(moduleGetFunction, cuModuleGetFunction);
  SAME(launchKernel, cuLaunchKernel);
  SAME(memGetInfo, cuMemGetInfo);
  SAME(memAlloc, cuMemAlloc);
  SAME(memFree, cuMemFree);
  SAME(memHostAlloc, cuMemHostAlloc);
  SAME(memFreeHost, cuMemFreeHost);
  SAME(memcpyHostToDevice, cuMemcpyHtoDAsync);
  SAME(memcpyDeviceToHost, cuMemcpyDtoHAsync);
  SAME(memcpyDeviceToDevice, cuMemcpyDtoDAsync);
  SAME(memsetBytes, cuMemsetD8Async);
  SAME(deviceGetUuid, cuDeviceGetUuid);
  // Newer headers map to a second version, which older drivers lack.
  static_assert(sameShape<decltype(Driver::eventElapsedTime), decltype(&::cuEventElapsedTime)>);
  names.insert("cuEventElapsedTime");
  Driver driver;
  std::set<std::string> own;
  for (const runtime::Symbol &row : Driver::table(driver))
    own.insert(row.name);
  EXPECT_EQ(own, names);
  EXPECT_EQ(own.size() * sizeof(void *), sizeof driver) << "every field has a row";
}

TEST(DriverHeader, Numbers) {
  static_assert(std::is_same_v<DeviceNumber, CUdevice>);
  static_assert(std::is_same_v<DevicePointer, CUdeviceptr>);
  EXPECT_EQ(int(Result::Success), CUDA_SUCCESS);
  EXPECT_EQ(int(Result::InvalidValue), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(int(Result::OutOfMemory), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(int(Result::NoDevice), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(int(Result::InvalidImage), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(int(Result::InvalidContext), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(int(Result::NotFound), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(int(Result::NotReady), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(int(Result::IllegalAddress), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(int(Result::CaptureUnsupported), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(int(CaptureMode::ThreadLocal), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(int(Attribute::CapabilityMajor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int(Attribute::CapabilityMinor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(int(JitOption::ErrorLog), CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(int(JitOption::ErrorLogBytes), CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(int(nonBlockingStream), CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(int(timedEvent), CU_EVENT_DEFAULT);
  EXPECT_EQ(int(untimedEvent), CU_EVENT_DISABLE_TIMING);
}

} // namespace
} // namespace pcc::test
