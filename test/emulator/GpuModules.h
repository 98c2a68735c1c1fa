// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the emulated GPU: a shared object of the host. An entry is a function of the host's form
// (abi::Kernel), and beside it a constant `NAME.arguments` of two int32: how many buffers and
// scalars it takes.
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
  int image = -1; ///< the file behind it
  std::list<FunctionObject> functions;
};

} // namespace pcc::runtime::cuda

namespace pcc::test {

/// Opens an ELF image; null if it is none, or cannot be opened.
std::unique_ptr<runtime::cuda::ModuleObject> openModule(const void *image);

/// The entry of that name, or null.
runtime::cuda::FunctionHandle findFunction(runtime::cuda::ModuleObject &module, const char *name);

/// What a launch passes, read when it is enqueued.
struct GpuArguments {
  GpuArguments(const runtime::cuda::FunctionObject &function, void *const *parameters);

  std::vector<void *> buffers;
  std::vector<int64_t> scalars;
};

} // namespace pcc::test
