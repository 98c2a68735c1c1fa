// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensor a cut that is given for an operand speaks of. A model file's nodes repeat their
// operands to each other implicitly, by graph.broadcast here; a user who knows the file gives the
// cut of what is repeated:
//
//   %r = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
//   %y = graph.add %x, %r
//
//   ((2,4),(4))      of %b: 4 along dimension 1 of %r, nothing said of dimension 0
//   ((2,4),(2,4))    of %r
#pragma once

#include "passes/strategy/GivenStrategy.h"

namespace pcc::strategy {

/// A tensor, and what each of its dimensions is of an operand.
struct GivenTensor {
  mlir::RankedTensorType type;
  /// By dimension; absent for one of size one that the operand has many times.
  llvm::SmallVector<std::optional<unsigned>> operandDims;
};

/// What cut number `index` of `given` speaks of at `operand`: the value that is repeated to it,
/// unless the cut has the operand's length alone, or cuts what is one element of that value. The
/// operand itself if nothing is repeated, or nothing given.
GivenTensor findGivenTensor(mlir::Value operand, const GivenCuts &given, size_t index);

/// `value`, a ranked tensor, as itself.
GivenTensor makeGivenTensor(mlir::Value value);

} // namespace pcc::strategy
