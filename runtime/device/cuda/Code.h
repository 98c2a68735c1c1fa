// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code and constants of an executable on one GPU, shared by the ranks that use it.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/driver/Gpu.h"

namespace pcc::runtime::cuda {

class Code {
public:
  /// Loads the machine code if it fits the GPU, otherwise compiles the PTX with the driver. Errors:
  /// Unavailable for a GPU that can run neither; driver errors, with the compiler's log.
  /// Loads the constants of `ranks` ranks from `first` on only; those of all ranks if it is 0.
  static Expected<std::shared_ptr<const Code>> load(std::shared_ptr<const Gpu> gpu,
                                                    const abi::Executable &executable,
                                                    int64_t first = 0, int64_t ranks = 0);
  explicit Code(std::shared_ptr<const Gpu> gpu) : gpu(std::move(gpu)) {}
  ~Code();

  /// Returns a kernel by its index into Executable.kernels.
  FunctionHandle kernel(uint32_t index) const { return kernels[index]; }

  /// Returns a support function, which is part of the code but not a kernel of the program. Error:
  /// Unavailable if the code lacks the function.
  Expected<FunctionHandle> support(const std::string &symbol) const;

  std::byte *constants() const { return constantSpace->base; }

private:
  Status loadModule(const abi::GpuCode &code);
  Status compilePtx(const std::string &ptx);
  Status findKernels(const abi::Executable &executable);
  Status copyConstants(const abi::Executable &executable, const abi::DataRange &own);

  std::shared_ptr<const Gpu> gpu;
  ModuleHandle module = nullptr;
  std::vector<FunctionHandle> kernels;
  std::unique_ptr<Allocation> constantSpace;
};

/// Return whether machine code or PTX for `chip` ("sm_90", "sm_90a") runs on a GPU. Machine code
/// needs a GPU of the chip's major compute capability with at least its minor one. PTX needs a GPU
/// of at least the chip's capability. Code for a chip with a letter needs exactly that capability.
bool runsMachineCode(const std::string &chip, const GpuProperties &gpu);
bool runsPtx(const std::string &chip, const GpuProperties &gpu);

} // namespace pcc::runtime::cuda
