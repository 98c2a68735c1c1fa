// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code and the constants of an executable on one GPU, shared by the ranks that use it.

#ifndef PCC_RUNTIME_DEVICE_CUDA_CODE_H
#define PCC_RUNTIME_DEVICE_CUDA_CODE_H

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/driver/Gpu.h"

namespace pcc::runtime::cuda {

class Code {
public:
  /// Loads the machine code where it fits the GPU, else the driver's compiler makes it of the PTX.
  /// Errors: Unavailable for a GPU that can run neither; the driver's, with its compiler's words.
  static Expected<std::shared_ptr<const Code>> load(std::shared_ptr<const Gpu> gpu,
                                                    const abi::Executable &executable);
  explicit Code(std::shared_ptr<const Gpu> gpu) : gpu(std::move(gpu)) {}
  ~Code();

  /// By index into Executable.kernels.
  FunctionHandle kernel(uint32_t index) const { return kernels[index]; }

  /// A function that comes with the code without being a kernel of the program. Error: Unavailable
  /// for one that it has not.
  Expected<FunctionHandle> support(const std::string &symbol) const;

  std::byte *constants() const { return constantSpace->base; }

private:
  Status loadModule(const abi::GpuCode &code);
  Status compilePtx(const std::string &ptx);
  Status findKernels(const abi::Executable &executable);
  Status copyConstants(const std::string &bytes);

  std::shared_ptr<const Gpu> gpu;
  ModuleHandle module = nullptr;
  std::vector<FunctionHandle> kernels;
  std::unique_ptr<Allocation> constantSpace;
};

/// Whether machine code for `chip` ("sm_90", "sm_90a") runs on a GPU: of the same major capability
/// and no lesser minor one; of a chip with a letter on that capability alone. For PTX any GPU of
/// that capability or a later one will do, but for chips with a letter.
bool runsMachineCode(const std::string &chip, const GpuFacts &gpu);
bool runsPtx(const std::string &chip, const GpuFacts &gpu);

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_CODE_H
