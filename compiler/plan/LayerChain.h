// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as a chain of layers, between which few values are handed on: the places where it may be
// cut in stages. Ops are taken in program order; behind each of them stands the number of values
// that later ones read.
//
//   %1 = layer_norm %0      2: %0, %1
//   %2 = attention %1       2: %0, %2
//   %3 = add %0, %2         1: %3      a layer ends here
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::plan {

struct ChainLayer {
  std::string name; ///< of its first op
  /// With what is made of parameters, or of integers, for them first.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value>
      handedOn; ///< values of this layer or those before that later ones read
};

/// The layers of a function of one block. There are cuts where fewest values are handed on, and if
/// that does not give twice `wanted` layers, where a few more are.
std::vector<ChainLayer> findLayers(mlir::func::FuncOp function, size_t wanted);

} // namespace pcc::plan
