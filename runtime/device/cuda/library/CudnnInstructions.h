// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a rank's convolutions and attention with cuDNN. It has one handle, one workspace for its
// plans, and one plan for all instructions of a shape, made when the first of them is prepared.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/device/cuda/library/CudnnGraph.h"

#include <map>
#include <memory>
#include <vector>

namespace pcc::runtime::cuda {

/// GPU memory in which the instructions of a rank work, one after the other. Its blocks never move,
/// since prepared instructions store their addresses.
class Workspace {
public:
  explicit Workspace(std::shared_ptr<const Gpu> gpu) : gpu(std::move(gpu)) {}

  /// Returns at least `bytes` bytes, shared with other callers. Error: no memory.
  Expected<std::byte *> get(uint64_t bytes);

  /// Returns the bytes of all allocated blocks.
  uint64_t takenBytes() const { return taken; }

private:
  const std::shared_ptr<const Gpu> gpu;
  /// The last block is the longest.
  std::vector<std::unique_ptr<Allocation>> blocks;
  uint64_t size = 0, taken = 0;
};

class CudnnInstructions {
public:
  /// `allowsTf32`: operands of f32 may be rounded to TF32.
  CudnnInstructions(std::shared_ptr<const Gpu> gpu, bool allowsTf32)
      : gpu(gpu), allowsTf32(allowsTf32), workspace(std::move(gpu)) {}
  ~CudnnInstructions();

  /// Prepares the convolution or attention. Returns null without the library, without a plan for
  /// the instruction, or without memory for the workspace.
  std::unique_ptr<PreparedInstruction> prepare(const abi::Instruction &instruction,
                                               const PrepareContext &context, Stream &stream);

  /// Returns the bytes of GPU memory in use.
  uint64_t takenBytes() const { return workspace.takenBytes(); }

private:
  bool open(Stream &stream);
  std::shared_ptr<const dnn::Plan> planOf(const abi::Instruction &instruction);

  const std::shared_ptr<const Gpu> gpu;
  const bool allowsTf32;
  bool isTried = false;
  dnn::Handle handle = nullptr;
  Workspace workspace;
  /// By the instruction without its operands; null for instructions without a plan.
  std::map<std::string, std::shared_ptr<const dnn::Plan>> plans;
};

} // namespace pcc::runtime::cuda
