// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a model into a chain of layers between which few values cross. The model may be cut into
// stages between layers. Ops are taken in program order. In the example, the number after each op
// is the number of values that later ops read.
//
//   %1 = layer_norm %0      2: %0, %1
//   %2 = attention %1       2: %0, %2
//   %3 = add %0, %2         1: %3      a layer ends here
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::plan {

struct ChainLayer {
  std::string name; ///< of its first op
  /// Includes ops that compute only from parameters or integers for this layer; these come first.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value>
      crossing; ///< values of this layer or earlier ones that later layers read
};

/// Returns the layers of a function of one block. Cuts where the fewest values cross. If that gives
/// fewer than twice `wanted` layers, also cuts where more values cross.
std::vector<ChainLayer> findLayers(mlir::func::FuncOp function, size_t wanted);

} // namespace pcc::plan
