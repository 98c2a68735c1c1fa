// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda.so.1 that has no GPU but accepts machine code. It has the driver functions that cuDNN
// calls when it makes a plan. So plans can be made, with compiled kernels, for a GPU that is only
// described (test/unit/runtime/CudnnLibraryTest.cpp).

static char object;

/// Returns an object of which only the address matters.
#define GIVES(name)                                                                                \
  int name(void **result) {                                                                        \
    *result = &object;                                                                             \
    return 0;                                                                                      \
  }
#define SUCCEEDS(name)                                                                             \
  int name(void) { return 0; }
/// Returns CUDA_ERROR_NO_DEVICE.
#define FAILS(name)                                                                                \
  int name(void) { return 100; }

GIVES(cuLibraryLoadData)
GIVES(cuLibraryGetKernel)
SUCCEEDS(cuLibraryUnload)
SUCCEEDS(cuKernelSetAttribute)
FAILS(cuCtxGetCurrent)
FAILS(cuCtxGetLimit)
FAILS(cuCtxPopCurrent)
FAILS(cuCtxPushCurrent)
FAILS(cuDeviceGet)
FAILS(cuDeviceGetCount)
FAILS(cuDriverGetVersion)
FAILS(cuInit)
FAILS(cuKernelGetAttribute)
FAILS(cuLaunchCooperativeKernel)
FAILS(cuLaunchKernel)
FAILS(cuLaunchKernelEx)
FAILS(cuLibraryLoadFromFile)
FAILS(cuLinkAddData)
FAILS(cuLinkComplete)
FAILS(cuLinkCreate)
FAILS(cuLinkDestroy)
FAILS(cuOccupancyMaxPotentialClusterSize)
FAILS(cuStreamGetCtx)

int cuGetErrorName(int error, const char **name) {
  (void)error;
  *name = "CUDA_ERROR_NO_DEVICE";
  return 0;
}

int cuGetErrorString(int error, const char **text) { return cuGetErrorName(error, text); }
