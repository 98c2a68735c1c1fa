// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a user's strategy for an op and turns it into the splits of the op's factors.
//
//   op      ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//   given   ((2,4),(4,1))     i in 2, k in 4, j in 1: the device matrix (2,4,1)
//           ((2,4),(2,1))     refused: k in 4 and in 2
//           [dp, tp], [tp, _] i over dp, k over tp
//
// A cut given for a broadcast operand may describe the tensor before the broadcast (GivenTensor.h).
//
// The checks run in this order, and the first failure is reported: number of tuples; their lengths;
// counts of at least one; counts that divide their dimensions. Then come the op's own rules: equal
// counts along shared factors, whole factors unsplit. Last, the product of the factors' counts must
// divide the number of ranks.
#pragma once

#include "passes/strategy/constraints/CheckTensors.h"

namespace pcc::strategy {

/// Legal strategy of one op.
struct CheckedStrategy {
  /// Cuts of the op's factors.
  Cuts factors;
  /// Cuts of the results as their users see them; empty unless `out` is given beside `in`.
  std::vector<Cuts> results;
};

/// Checks the strategy `given` for `op`, which has a factor rule. `mesh` is the program's mesh and
/// resolves axis names; `numRanks` is the number of ranks. Emits a diagnostic on failure.
mlir::FailureOr<CheckedStrategy> checkStrategy(mlir::Operation *op, const GivenStrategy &given,
                                               const dist::Mesh &mesh, int64_t numRanks);

} // namespace pcc::strategy
