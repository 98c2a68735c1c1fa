// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shardings of one op's operands and results, from how its factors are split.
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//     i over dp             [dp, _], [_, _] -> [dp, _]
//     k over tp             [_, tp], [tp, _] -> [_, _] partial(sum: tp)
//   add ([i,j],[i,j]) -> ([i,j]) {linear: (0,1)}
//     operand 0 partial     [_, _] partial(sum: tp), [_, _] partial(sum: tp) -> the same
//
// A partial operand may stay partial where the op is linear in it; another operand of the same
// linear set then enters once, on the ranks at coordinate 0. Elsewhere the op wants the sum.
#pragma once

#include "passes/strategy/FactorAxes.h"
#include <vector>

namespace pcc::strategy {

/// The shardings in which an op wants its operands, and of its results.
struct OpSharding {
  std::vector<dist::Sharding> operands, results;

  bool operator==(const OpSharding &) const = default;
};

/// The shardings of `op` split by `factors`. Operands come as `operands`; one that is partial stays
/// so if `mayCarry` says that it is worth it and the op's rule allows it.
OpSharding makeOpSharding(mlir::Operation *op, const FactorAxes &factors,
                          llvm::ArrayRef<dist::Sharding> operands, llvm::ArrayRef<bool> mayCarry);

} // namespace pcc::strategy
