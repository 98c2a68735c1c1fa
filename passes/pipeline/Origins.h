// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the ops of a model by the values from which they are made. The class says on which
// virtual stages an op may run. A placed op runs on exactly one:
//
//   %mask = compare %ids, %c       integer inputs and constants alone: copied to each virtual stage
//                                  that reads it, rather than sent
//   %wt = transpose %w             parameters and constants alone: the same
//   %y = sub %x, %mean             float inputs: no virtual stage; each reader makes it, unless the
//                                  user places it
//   %0 = matmul %x, %wt            inputs and parameters: placed
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::pipeline {

class Origins {
public:
  enum Bit : unsigned {
    Constants = 0,
    IntegerInputs = 1,
    FloatInputs = 2,
    Parameters = 4,
    Placed = 8
  };

  /// The function has one block. An op for which `isAnnotated` holds is placed as well, unless its
  /// readers recompute it and it is cheap.
  Origins(
      mlir::func::FuncOp function, llvm::function_ref<bool(mlir::Operation *)> isAnnotated =
                                       [](mlir::Operation *) { return false; });

  unsigned of(mlir::Operation *op) const { return origins.lookup(op); }
  unsigned of(mlir::Value value) const;

  /// Returns whether an op belongs to one virtual stage.
  bool isPlaced(mlir::Operation *op) const { return of(op) & Placed; }
  /// Returns whether an op is copied to each virtual stage that reads it: an op of parameters
  /// alone, or of constants and integer inputs.
  bool isRecomputedByReaders(mlir::Operation *op) const {
    return of(op) == Parameters || (of(op) | IntegerInputs) == IntegerInputs;
  }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> origins;
};

} // namespace pcc::pipeline
