// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and texts of the emulated driver's errors.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

extern "C" {
pcc::runtime::cuda::Result cuGetErrorName(pcc::runtime::cuda::Result result, const char **text);
pcc::runtime::cuda::Result cuGetErrorString(pcc::runtime::cuda::Result result, const char **text);
}
