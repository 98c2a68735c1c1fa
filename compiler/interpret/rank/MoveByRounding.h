// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the results of ops in doubles as far as roundings may move them in a correct program. Each
// rounded value moves at random by up to 16 times half a unit in its last place.
//
//   x - y       the result                  rounded once
//   x * y - z   the multiplication as well  code may contract it, or may round it
//   sum of x    each term, then the sum     partial sums are rounded, in unknown order
//   max(x, y)   nothing                     exact
//
// The terms of a sum move even if the sum is exactly zero. The results of such runs therefore show
// the magnitude of terms that cancel, which neither rounding nor moved inputs show:
//
//   x = broadcast a;  x - mean(x)   zero for every a, but not in a program that adds in f32
#pragma once

#include "compiler/values/Tensor.h"
#include "mlir/IR/Operation.h"

namespace pcc::interpret {

using namespace values;

/// Tolerance factor for programs that the interpreter runs, and the distance by which values move,
/// in units of rounding errors. The order of sums over ranks and microbatches changes the number of
/// roundings of a value; the error grows with the square root of this number.
inline constexpr double interpretedFactor = 16.0;

/// Sign of the moves. `Plus`: some values move up and the others move down. `Minus`: each value
/// moves the opposite way.
enum class Direction { Plus, Minus };

/// Point within an op at which a program rounds.
enum class Rounding {
  None,   ///< exact: moves or selects elements
  Result, ///< once, at the end
  Terms,  ///< a sum: its partial sums too
};
Rounding roundingOf(mlir::Operation *op);

/// Random moves of one rank's values, op by op. Two runs of the same program in opposite directions
/// make the same moves with opposite signs.
class ValueMover {
public:
  explicit ValueMover(Direction direction) : sign(direction == Direction::Plus ? 1.0 : -1.0) {}

  /// Moves the operands that the next op rounds before its end.
  void moveTerms(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands);
  /// Moves the op's results, except numbers that their type holds exactly.
  void moveResults(mlir::Operation *op, llvm::MutableArrayRef<Tensor> results);

private:
  Tensor move(const Tensor &value, double unit, bool movesExact);

  double sign;
  uint64_t count = 0; ///< of tensors moved
};

} // namespace pcc::interpret
