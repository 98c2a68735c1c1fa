// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the ops of a model by the values from which they are made. The class says on which
// virtual stages an op may run. A placed op runs on exactly one:
//
//   %mask = compare %ids, %c       integer inputs and constants alone: recomputed rather than sent
//   %wt = transpose %w             parameters and constants alone: the same
//   %y = sub %x, %mean             floating-point inputs: data, but nothing that is trained
//   %0 = matmul %x, %wt            inputs and parameters: placed
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::pipeline {

class Origins {
public:
  enum Bit : unsigned { Constants = 0, Indices = 1, Inputs = 2, Parameters = 4, Placed = 8 };

  /// The function has one block. Ops for which `isAnnotated` holds are placed as well, unless they
  /// may be recomputed.
  Origins(
      mlir::func::FuncOp function, llvm::function_ref<bool(mlir::Operation *)> isAnnotated =
                                       [](mlir::Operation *) { return false; });

  unsigned of(mlir::Operation *op) const { return origins.lookup(op); }
  unsigned of(mlir::Value value) const;

  /// Returns whether an op belongs to one virtual stage.
  bool isPlaced(mlir::Operation *op) const { return of(op) & Placed; }
  /// Returns whether each virtual stage that reads an op recomputes it: an op of parameters alone,
  /// or of constants and integers.
  bool isRecomputedByReaders(mlir::Operation *op) const {
    return of(op) == Parameters || (of(op) | Indices) == Indices;
  }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> origins;
};

} // namespace pcc::pipeline
