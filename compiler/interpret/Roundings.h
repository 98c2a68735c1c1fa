// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves what an op computes in doubles as far as roundings may move it in a right program: each
// rounded value, at random, by up to 16 times half a unit in its last place.
//
//   x - y       the result                 rounded once
//   x * y - z   the product as well        code may contract it, or may round it
//   sum of x    each term, then the sum    partial sums are rounded, in an order that is unknown
//   max(x, y)   nothing                    exact
//
// The terms of a sum move even where the sum is exactly zero. So the results of such runs show the
// magnitude of terms that cancel, which neither rounding nor moved inputs show:
//
//   x = broadcast a;  x - mean(x)   zero for every a, but not in a program that adds in f32
#pragma once

#include "compiler/interpret/Tensor.h"
#include "mlir/IR/Operation.h"

namespace pcc::interpret {

/// How far values move, in units of what rounding alone may do; the factor of tolerances for
/// programs that the interpreter runs: the number of roundings that a value passes differs by the
/// order of sums over ranks and microbatches, which grows with the root of their number.
inline constexpr double interpretedFactor = 16.0;

/// `There`: some values move up and the others down. `Back`: each moves the other way.
enum class Direction { There, Back };

/// The part of an op at which a program rounds.
enum class Rounding {
  None,   ///< exact: moves elements, or chooses among them
  Result, ///< once, at the end
  Terms,  ///< a sum: the partial sums too
};
Rounding roundingOf(mlir::Operation *op);

/// The moves of one rank, op by op. Two runs of the same program in opposite directions make the
/// same moves with opposite signs.
class Roundings {
public:
  explicit Roundings(Direction direction) : sign(direction == Direction::There ? 1.0 : -1.0) {}

  /// Moves the operands of the next op that it rounds before it is done with them.
  void moveTerms(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands);
  /// Moves the op's results where they are no numbers of their type.
  void moveResults(mlir::Operation *op, llvm::MutableArrayRef<Tensor> results);

private:
  Tensor move(const Tensor &value, double unit, bool movesExact);

  double sign;
  uint64_t count = 0; ///< of tensors moved
};

} // namespace pcc::interpret
