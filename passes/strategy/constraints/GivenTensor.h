// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the tensor that an entry of a strategy describes. The nodes of a model file broadcast their
// operands implicitly; here graph.broadcast does so. A user who knows the file gives the cut of the
// tensor before the broadcast:
//
//   %r = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
//   %y = graph.add %x, %r
//
//   ((2,4),(4))      of %b: 4 along dimension 1 of %r, dimension 0 unconstrained
//   ((2,4),(2,4))    of %r
//
// Nodes also take a bias as an operand. Here a bias is added by an op of its own, which follows the
// strategy. The entry for the bias must equal the cut of the weight's columns, here 4:
//
//   Gemm(x, w, b)     ((2,1),(1,4),(4,))      as a user writes it
//   matmul(x, w)      ((2,1),(1,4))           as the matmul gets it
#pragma once

#include "passes/strategy/constraints/GivenStrategy.h"
#include <string>

namespace pcc::strategy {

/// A tensor, and the operand dimension that each of its dimensions corresponds to.
struct GivenTensor {
  mlir::RankedTensorType type;
  /// Operand dimension by tensor dimension; absent for a dimension of size one that the broadcast
  /// repeats.
  llvm::SmallVector<std::optional<unsigned>> operandDims;
};

/// Returns the tensor that cut number `index` of `given` describes at `operand`. For a broadcast
/// operand this is the broadcast's input. There are two exceptions: only the operand has the cut's
/// length, or the cut splits a dimension of size one of the input. In these cases, and for an
/// operand that is no broadcast or has no cut, returns the operand itself.
GivenTensor findGivenTensor(mlir::Value operand, const GivenCuts &given, size_t index);

/// Returns `value`, a ranked tensor, with each dimension corresponding to itself.
GivenTensor makeGivenTensor(mlir::Value value);

/// Returns whether `given` has one entry more than `op` has operands, of one dimension, and the
/// result of `op` is the operand of an addition of a bias.
bool hasBiasEntry(mlir::Operation *op, const GivenStrategy &given);

/// Returns `given` without its entry for the bias.
GivenStrategy withoutBiasEntry(const GivenStrategy &given);

/// Returns why the entry for the bias is wrong, `expected X, got Y`; empty if the bias is cut as
/// the weight is.
std::string checkBiasEntry(mlir::Operation *op, const GivenStrategy &given);

} // namespace pcc::strategy
