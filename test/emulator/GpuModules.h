// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the emulated GPU: a shared object of the host. An entry is a function with the signature
// of a host kernel (abi::Kernel). A constant `NAME.arguments` of two int32 gives its numbers of
// buffers and scalars.
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <list>
#include <memory>
#include <vector>

namespace pcc::runtime::cuda {

struct FunctionObject {
  void (*entry)(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end);
  int32_t buffers, scalars;
};

struct ModuleObject {
  ~ModuleObject();

  void *handle = nullptr;
  int image = -1; ///< descriptor of the file that holds the image
  std::list<FunctionObject> functions;
};

} // namespace pcc::runtime::cuda

namespace pcc::test {

/// Opens an ELF image; returns null if the image is not ELF or cannot be opened.
std::unique_ptr<runtime::cuda::ModuleObject> openModule(const void *image);

/// Returns the entry `name`, or null.
runtime::cuda::FunctionHandle findFunction(runtime::cuda::ModuleObject &module, const char *name);

/// Arguments of a launch, read when it is enqueued.
struct GpuArguments {
  GpuArguments(const runtime::cuda::FunctionObject &function, void *const *parameters);

  std::vector<void *> buffers;
  std::vector<int64_t> scalars;
};

} // namespace pcc::test
