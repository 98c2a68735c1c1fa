// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which float type each op of a model computes in mixed precision. One table serves the pass
// that inserts the casts and the report that prints it.
//
//   half      matmul, einsum, conv2d, attention     operands are cast to the half type
//   single    losses, norms, softmax, exp, sums     operands are cast to f32
//   follows   all others                            half if an operand is, unless a value that
//                                                   depends on the data is f32: then f32
//
// Source: the lists of torch.amp.autocast for CUDA.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace pcc::graph {

enum class Precision {
  Half,   ///< bf16 or f16
  Single, ///< f32
  Follows ///< the type of its operands
};

/// Precision of one kind of op.
struct PrecisionRow {
  llvm::StringRef op; ///< mnemonic without the dialect's prefix
  Precision precision;
  llvm::StringRef why;
};

/// Returns the ops with a precision of their own, or a reason of their own. All others follow their
/// operands.
llvm::ArrayRef<PrecisionRow> listPrecisions();

/// Returns the precision of an op. A `reduce` follows if it only selects an element.
Precision getPrecision(mlir::Operation *op);

} // namespace pcc::graph
