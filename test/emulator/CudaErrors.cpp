// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/CudaErrors.h"

using pcc::runtime::cuda::Result;

Result cuGetErrorName(Result result, const char **text) {
  switch (result) {
  case Result::Success:
    *text = "CUDA_SUCCESS";
    break;
  case Result::OutOfMemory:
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    break;
  case Result::InvalidImage:
    *text = "CUDA_ERROR_INVALID_IMAGE";
    break;
  case Result::InvalidContext:
    *text = "CUDA_ERROR_INVALID_CONTEXT";
    break;
  case Result::NotFound:
    *text = "CUDA_ERROR_NOT_FOUND";
    break;
  case Result::CaptureUnsupported:
    *text = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
    break;
  case Result::IllegalAddress:
    *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
    break;
  default:
    *text = "CUDA_ERROR_INVALID_VALUE";
  }
  return Result::Success;
}

Result cuGetErrorString(Result, const char **text) {
  *text = "so says the emulator";
  return Result::Success;
}
