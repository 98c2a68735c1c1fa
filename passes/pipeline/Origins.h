// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops of a model are made of, as far as that says where they may be:
//
//   %mask = compare %ids, %c       integer inputs and constants alone: as well made anew as sent
//   %wt = transpose %w             parameters and constants alone: the same
//   %y = sub %x, %mean             floating-point inputs: data, but nothing that is trained
//   %0 = matmul %x, %wt            inputs and parameters: work that belongs to one place
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::pipeline {

class Origins {
public:
  enum Bit : unsigned { Constants = 0, Indices = 1, Inputs = 2, Parameters = 4, Placed = 8 };

  /// Of a function of one block. Ops for which `isMarked` holds are placed as well, unless they are
  /// as well made anew.
  Origins(
      mlir::func::FuncOp function, llvm::function_ref<bool(mlir::Operation *)> isMarked =
                                       [](mlir::Operation *) { return false; });

  unsigned of(mlir::Operation *op) const { return origins.lookup(op); }
  unsigned of(mlir::Value value) const;

  /// Whether an op belongs to one place.
  bool isPlaced(mlir::Operation *op) const { return of(op) & Placed; }
  /// Whether whoever reads an op makes it: of parameters alone, or of constants and integers.
  bool isSideWork(mlir::Operation *op) const {
    return of(op) == Parameters || (of(op) | Indices) == Indices;
  }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> origins;
};

} // namespace pcc::pipeline
