// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rematerialization recipe: how to compute a value of one kernel inside the kernels that read it.
#pragma once

#include "passes/analysis/kernels/Kernels.h"

namespace pcc::fusion {

int64_t getNumElements(mlir::Value value);

/// Whether the op's arithmetic takes no longer than reading its operands.
bool isCheap(mlir::Operation *op);

/// Ops that recompute a value in other kernels. They belong to the value's own kernel and start
/// from the values that move the fewest bytes. An intermediate value may also be read from memory,
/// if its kernel then writes it.
///
///   dy = add a, b, bf16      2 readers, a and b in memory: reading them moves 8 bytes an element,
///                            writing and reading dy 6, so dy is written
///   w  = cast dy, f32
class RematRecipe {
public:
  /// Considers only the last few ops that compute the value, because several kernels repeat them.
  RematRecipe(mlir::Value value, const analysis::Kernel &maker, int64_t readers);

  /// Whether the recipe fits the limit of ops.
  bool isComplete = true;
  /// Whether the recomputed value is bitwise equal: no op rounds, and none can be contracted with
  /// an op before or after it.
  bool isExact() const;

  llvm::SetVector<mlir::Operation *> ops; ///< in an executable order
  llvm::SetVector<mlir::Value> sources;   ///< values that the ops read from memory

private:
  static constexpr size_t maxOps = 16;

  void findCandidates(mlir::Operation *last);
  bool isRecomputedEverywhere(mlir::Value value) const;
  bool isUnwritten(mlir::Value value) const;
  bool isCheapToRecompute(mlir::Value value) const;
  bool isRecomputed(mlir::Value value);
  int64_t bytesInMemory(mlir::Value value) const;
  int64_t bytesMoved(mlir::Value value);
  int64_t bytesOfOperands(mlir::Operation *op);
  void add(mlir::Operation *op);

  const analysis::Kernel &maker;
  const int64_t elements, readers;
  /// The value's op and at most `maxOps` - 1 ops before it, breadth first, that may be recomputed.
  llvm::SetVector<mlir::Operation *> candidates;
  llvm::DenseMap<mlir::Value, int64_t> moved; ///< known results of `bytesMoved`
};

} // namespace pcc::fusion
