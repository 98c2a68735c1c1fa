// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of ops on compact tensors. A compact tensor holds the elements of a value once: it has
// size 1 in each dimension along which they repeat.
//
//   value                              shape                 compact tensor
//   zeros                              1024x1x4096x4096      1x1x1x1
//   positions of all samples           1024x4096             1x4096
//   a causal mask of all samples       1024x1x4096x4096      1x1x4096x4096
//
// Positions and masks of a large batch take no more time and memory than those of one sample.
#pragma once

#include "compiler/interpret/rank/Rank.h"
#include "compiler/values/Tensor.h"
#include "mlir/IR/Operation.h"

namespace pcc::interpret {

/// Returns `tensor` with size 1 in each dimension along which its elements repeat.
Tensor dropRepeats(Tensor tensor);

/// Returns the slices of the compact `table` along `axis`, which has `size` elements, that the
/// compact `indices` name. They may repeat (dropRepeats). Returns nothing if that were more than
/// `maxElements` elements.
std::optional<Tensor> gatherCompact(const Tensor &table, const Tensor &indices, int64_t size,
                                    int64_t axis, int64_t maxElements);

/// Evaluates `op`, whose operands have the compact values `operands`. Returns the compact values of
/// its results, rounded. Returns nothing if the interpreter cannot evaluate the op, and if it
/// would have to compute more than `maxElements` elements of a value.
std::optional<llvm::SmallVector<Tensor, 2>> evaluateCompact(mlir::Operation &op,
                                                            llvm::ArrayRef<Tensor> operands,
                                                            int64_t maxElements, Rank &rank);

} // namespace pcc::interpret
