// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings of one op's operands and results, derived from the splits of its factors.
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//     i over dp             [dp, _], [_, _] -> [dp, _]
//     k over tp             [_, tp], [tp, _] -> [_, _] partial(sum: tp)
//   add ([i,j],[i,j]) -> ([i,j]) {linear: (0,1)}
//     operand 0 partial     [_, _] partial(sum: tp), [_, _] partial(sum: tp) -> the same
//
// A partial operand may stay partial if the op is linear in it. Another operand of the same linear
// set then enters once, on the ranks at coordinate 0. Otherwise the op requires the sum.
#pragma once

#include "passes/strategy/constraints/FactorAxes.h"
#include <vector>

namespace pcc::strategy {

/// Shardings that an op requires of its operands, and shardings of its results.
struct OpSharding {
  std::vector<dist::Sharding> operands, results;

  bool operator==(const OpSharding &) const = default;
};

/// Returns the shardings of `op` split by `factors`. The operands arrive as `operands`. A partial
/// operand stays partial if `mayCarry` permits it and the op's rule allows it.
OpSharding makeOpSharding(mlir::Operation *op, const FactorAxes &factors,
                          llvm::ArrayRef<dist::Sharding> operands, llvm::ArrayRef<bool> mayCarry);

} // namespace pcc::strategy
