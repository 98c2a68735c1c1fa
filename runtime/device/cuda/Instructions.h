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

} // namespace pcc::runtime::cuda
