// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the local instructions for the host, and the resources that they share.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"
#include "runtime/base/SharedLibrary.h"
#include "runtime/device/LaunchScalars.h"
#include "runtime/device/host/Team.h"

#include <vector>

namespace pcc::runtime::host {

/// The signature of every kernel (abi::Kernel).
using KernelFunction = void (*)(void *const *buffers, const int64_t *scalars, int64_t begin,
                                int64_t end);

/// The native code of an executable, loaded once and shared by all ranks of a process.
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

/// Memory shared by the instructions of one rank. Each instruction has exclusive use while it runs,
/// and finds undefined content at its start. The memory grows while instructions are prepared.
class Scratch {
public:
  /// Grows the memory to at least `bytes` bytes; its address may change. Errors: no memory.
  Status reserve(uint64_t bytes) {
    if (bytes <= size)
      return {};
    memory = nullptr; // free first, so that the old and new memory need not fit together
    memory = allocateAligned(bytes);
    size = memory ? bytes : 0;
    return memory ? Status() : Status::failed(fmt::format("no memory for {} bytes", bytes));
  }
  std::byte *get() const { return memory.get(); }

private:
  AlignedBytes memory;
  uint64_t size = 0;
};

using PreparedPointer = std::unique_ptr<PreparedInstruction>;

PreparedPointer prepareLaunch(const abi::Launch &launch, const PrepareContext &context,
                              const KernelObject &object, const Team &team);
PreparedPointer prepareCopy(const abi::Copy &copy, const PrepareContext &context);
PreparedPointer prepareFill(const abi::Fill &fill, const PrepareContext &context);
PreparedPointer prepareAccumulate(const abi::Accumulate &accumulate, const PrepareContext &context,
                                  const Team &team);

/// Errors: Unavailable without oneDNN, or for types without a oneDNN matmul on this machine.
Expected<PreparedPointer> prepareMatmul(const abi::Matmul &matmul, const PrepareContext &context,
                                        const Team &team);

/// Errors: Unavailable without oneDNN; no memory for `scratch`, in which half types are widened.
Expected<PreparedPointer> prepareAttention(const abi::Attention &attention,
                                           const PrepareContext &context, const Team &team,
                                           std::shared_ptr<Scratch> scratch);

/// Errors: Unavailable without oneDNN, or for types without a oneDNN convolution on this machine;
/// no memory for `scratch`, which holds the algorithm's copies.
Expected<PreparedPointer> prepareConvolution(const abi::Convolution &convolution,
                                             const PrepareContext &context, const Team &team,
                                             std::shared_ptr<Scratch> scratch);

} // namespace pcc::runtime::host
