// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the local instructions for a GPU. Each run is one or a few driver calls. Work other than
// the program's kernels is done by support functions, which the compiler puts into the same code
// (docs/spec/kernels.md).

#pragma once

#include "runtime/device/LaunchScalars.h"
#include "runtime/device/cuda/Code.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/driver/Stream.h"

#include <map>

namespace pcc::runtime::cuda {

using PreparedPointer = std::unique_ptr<PreparedInstruction>;

Expected<PreparedPointer> prepareLaunch(const abi::Instruction &instruction,
                                        const PrepareContext &context, RankParts parts);
PreparedPointer prepareCopy(const abi::Instruction &instruction, const PrepareContext &context,
                            RankParts parts);
PreparedPointer prepareFill(const abi::Instruction &instruction, const PrepareContext &context,
                            RankParts parts);

/// Errors: Unavailable for code without the required support function.
Expected<PreparedPointer> prepareAccumulate(const abi::Instruction &instruction,
                                            const PrepareContext &context, RankParts parts);
Expected<PreparedPointer> prepareAttention(const abi::Instruction &instruction,
                                           const PrepareContext &context, RankParts parts);
Expected<PreparedPointer> prepareConvolution(const abi::Instruction &instruction,
                                             const PrepareContext &context, RankParts parts);
Expected<PreparedPointer> prepareMatmul(const abi::Instruction &instruction,
                                        const PrepareContext &context, RankParts parts);

//===-- Replay.cpp ----------------------------------------------------------------------------===//

// Replays instructions that run repeatedly in the same order, as CUDA graphs. The driver captures
// what they enqueue and then launches it all by one call. Without a graph, the host makes a call of
// some microseconds for each kernel.
//
//   the first step                     each instruction by itself
//   between this step and the second   captured, instantiated and uploaded for each kind of action
//   from then on                       launched
//
// A section that runs outside steps is captured before its own second run. A kind of action is a
// combination of the action values that the instructions depend on.
//
// The executor calls makeReady only while nothing of the rank is in flight. The driver allocates
// memory for a graph and may then wait for the whole GPU, including a receive whose sender may wait
// for this rank. An action whose kind has no graph is run instruction by instruction.

class Replay final : public PreparedInstruction {
public:
  /// None of the instructions may depend on the step.
  Replay(std::vector<InstructionToRun> instructions, Stream &stream);
  ~Replay() override;

  ActionValueUse uses() const override { return use; }
  Status run(const ActionValues &action) override;
  void makeReady(const ActionValues &action) override;

private:
  /// Microbatch, copy, and whether this is the section's first action in the step; 0 for values
  /// that the instructions do not depend on.
  using Kind = std::array<int64_t, 3>;
  Kind kindOf(const ActionValues &action) const;
  Status runEach(const ActionValues &action);
  GraphExecHandle capture(const ActionValues &action);
  GraphExecHandle instantiate(GraphHandle graph);
  Status launch(GraphExecHandle graph);

  const std::vector<InstructionToRun> instructions;
  Stream &stream;
  ActionValueUse use;
  /// Null if the instructions cannot be captured (a library may make forbidden calls); they are
  /// then run one by one.
  std::map<Kind, GraphExecHandle> graphs;
};

} // namespace pcc::runtime::cuda
