// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The native code of an executable, loaded once and shared by all ranks of a process.

#ifndef PCC_RUNTIME_DEVICE_HOST_KERNELOBJECT_H
#define PCC_RUNTIME_DEVICE_HOST_KERNELOBJECT_H

#include "runtime/abi/program.pb.h"
#include "runtime/base/SharedLibrary.h"

#include <vector>

namespace pcc::runtime::host {

/// The signature of every kernel (abi::Kernel).
using KernelFunction = void (*)(void *const *buffers, const int64_t *scalars, int64_t begin,
                                int64_t end);

class KernelObject {
public:
  /// Checks the machine and loads the code of a valid executable. Errors: a missing CPU feature
  /// (Unavailable); an object that cannot be loaded or lacks a symbol (BadInput).
  static Expected<std::shared_ptr<const KernelObject>> load(const abi::Executable &executable);

  /// Returns a kernel by its index into Executable.kernels.
  KernelFunction kernel(uint32_t index) const { return functions[index]; }

private:
  SharedLibrary library;
  std::vector<KernelFunction> functions;
};

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_KERNELOBJECT_H
