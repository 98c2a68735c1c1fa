// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a rank's matmuls with cuBLASLt. It has one handle, one workspace, and one algorithm for all
// matmuls of a shape, chosen when the first of them is prepared.

#pragma once

#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/device/cuda/library/MatmulPlan.h"

#include <map>
#include <optional>

namespace pcc::runtime::cuda {

lt::MatmulAddresses addressesOf(const abi::Matmul &matmul, const PrepareContext &context);

class LibraryMatmuls {
public:
  /// `allowsTf32`: factors of f32 may be rounded to TF32.
  LibraryMatmuls(std::shared_ptr<const Gpu> gpu, bool allowsTf32)
      : gpu(std::move(gpu)), allowsTf32(allowsTf32) {}
  ~LibraryMatmuls();

  /// Prepares the matmul. Returns null without the library, or if the library does not support it.
  Expected<std::unique_ptr<PreparedInstruction>>
  prepare(const abi::Instruction &instruction, const PrepareContext &context, Stream &stream) {
    return prepare(instruction, instruction.matmul(), context, stream);
  }
  /// Prepares the matmul without its bias, activation, pre-activation and sums of operands.
  Expected<std::unique_ptr<PreparedInstruction>>
  prepareWithoutEpilogue(const abi::Instruction &instruction, const PrepareContext &context,
                         Stream &stream);

  /// Returns the bytes of GPU memory in use.
  uint64_t takenBytes() const { return workspace ? workspaceBytes : 0; }

private:
  Expected<std::unique_ptr<PreparedInstruction>> prepare(const abi::Instruction &instruction,
                                                         const abi::Matmul &matmul,
                                                         const PrepareContext &context,
                                                         Stream &stream);
  bool open();
  Status makeWorkspace();
  Expected<std::optional<lt::Choice>> choose(const lt::MatmulShape &shape,
                                             const lt::MatmulPlan &plan);

  static constexpr uint64_t workspaceBytes = 32 << 20;
  const std::shared_ptr<const Gpu> gpu;
  const bool allowsTf32;
  bool isTried = false;
  lt::Handle handle = nullptr;
  std::unique_ptr<Allocation> workspace;
  std::map<lt::MatmulShape, std::optional<lt::Choice>> choices;
};

} // namespace pcc::runtime::cuda
