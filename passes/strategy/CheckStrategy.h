// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a user gives for an op to how its factors are split, or to what is wrong with it.
//
//   op      ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//   given   ((2,4),(4,1))     i in 2, k in 4, j in 1: the device matrix (2,4,1)
//           ((2,4),(2,1))     refused: k in 4 and in 2
//           [dp, tp], [tp, _] i over dp, k over tp
//
// A cut of an operand may speak of what is repeated to it instead (GivenTensor.h).
//
// Checked in this order, the first failure is reported: number of tuples; their lengths; counts of
// at least one; counts divide their dimensions; the op's own rules (equal along shared factors,
// whole factors unsplit); the product of the factors' counts divides the number of ranks.
#pragma once

#include "passes/strategy/CheckTensors.h"

namespace pcc::strategy {

/// A legal strategy of one op.
struct CheckedStrategy {
  /// Of its factors.
  Cuts factors;
  /// Of its results as their users are to see them; empty where nothing is given beside `in`.
  std::vector<Cuts> results;
};

/// Checks what is given for `op`, which has a factor rule. `mesh` is that of the program, and
/// serves names; `numRanks` ranks take part. Diagnoses and fails.
mlir::FailureOr<CheckedStrategy> checkStrategy(mlir::Operation *op, const GivenStrategy &given,
                                               const dist::Mesh &mesh, int64_t numRanks);

} // namespace pcc::strategy
