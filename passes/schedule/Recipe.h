// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of what a value that one kernel computes can be computed in others.
#pragma once

#include "passes/facts/Kernels.h"

namespace pcc::schedule {

int64_t getNumElements(mlir::Value value);

/// True of ops that take a processor no longer than reading their operands does.
bool isCheap(mlir::Operation *op);

/// How to compute a value again in other kernels: by ops of its own kernel, from what moves the
/// fewest bytes. A value between may be read from memory as well, once its kernel writes it.
///
///   dy = add a, b, bf16      3 bytes to read are 2 to write and to read, so dy is written
///   w  = cast dy, f32
class Recipe {
public:
  /// Of the last few ops that make the value: more would be dear where several kernels do them.
  Recipe(mlir::Value value, const facts::Kernel &maker, int64_t readers);

  /// False if it would take more ops.
  bool isComplete = true;
  /// Whether it gives every bit of the value: nothing in it is rounded, nor could be contracted
  /// with what comes before or behind it.
  bool isExact() const;

  llvm::SetVector<mlir::Operation *> ops; ///< in an order in which they can run
  llvm::SetVector<mlir::Value> sources;   ///< what they read from memory

private:
  static constexpr size_t mostOps = 16;

  void findNearOps(mlir::Operation *last);
  bool isFree(mlir::Value value) const;
  bool isComputed(mlir::Value value) const;
  bool mayBeDoneAgain(mlir::Value value) const;
  bool isComputedAgain(mlir::Value value);
  int64_t bytesInMemory(mlir::Value value) const;
  int64_t bytesMoved(mlir::Value value);
  int64_t bytesOfOperands(mlir::Operation *op);
  void add(mlir::Operation *op);

  const facts::Kernel &maker;
  const int64_t elements, readers;
  llvm::SetVector<mlir::Operation *> near;
  llvm::DenseMap<mlir::Value, int64_t> moved;
};

} // namespace pcc::schedule
