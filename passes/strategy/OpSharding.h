// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one op is split, from how its operands or results are cut: the factor rule at work.
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}
//     operands [dp, _] and [_, _]   i over dp                      result [dp, _]
//     operands [_, tp] and [_, _]   k over tp; operand 1 [tp, _]   result [_, _] partial(sum: tp)
//     operands [dp, _] and [dp, _]  i over dp, for operand 0 came first; operand 1 wanted whole
//
// Partial operands stay partial where the op is linear in them; elsewhere the op wants their sums.
#pragma once

#include "dialects/dist/Sharding.h"
#include "mlir/IR/Operation.h"
#include <vector>

namespace pcc::strategy {

/// The shardings in which an op wants its operands, and of its results.
struct OpSharding {
  std::vector<dist::Sharding> operands, results;
};

/// The split of `op` (which has a factor rule) by its operands, the first one's wishes first.
OpSharding shardByOperands(mlir::Operation *op, llvm::ArrayRef<dist::Sharding> operands,
                           const dist::Mesh &mesh);

/// The split of `op` by the wish for its first result; what cannot be is left whole.
OpSharding shardByResult(mlir::Operation *op, const dist::Sharding &result, const dist::Mesh &mesh);

} // namespace pcc::strategy
