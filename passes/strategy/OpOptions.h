// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which one op can run on a mesh: every assignment of each axis to one of these
//
//   a factor       the op's work is split by it
//   a linear set   the operands of the set come partial over the axis, and so does the result
//   nothing        all ranks along the axis do the same
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)} on tp=4
//     i           [tp, _], [_, _] -> [tp, _]
//     k           [_, tp], [tp, _] -> [_, _] partial(sum: tp)
//     j           [_, _], [_, tp] -> [_, tp]
//     operand 0   [_, _] partial(sum: tp), [_, _] -> [_, _] partial(sum: tp)
//     operand 1   [_, _], [_, _] partial(sum: tp) -> [_, _] partial(sum: tp)
//     nothing     [_, _], [_, _] -> [_, _]
//
// Several axes may split one factor, in the order of the mesh; all axes that are carried go through
// one linear set. Blocks are equal and contiguous, as everywhere.
#pragma once

#include "passes/strategy/OpSharding.h"

namespace pcc::strategy {

/// All ways of `op`, which has a factor rule, on `mesh`; each once. The first splits nothing.
std::vector<OpSharding> listOptions(mlir::Operation *op, const dist::Mesh &mesh);

/// The ways of `op` that are as `current` over all axes but one, `current` first; `current` alone
/// if the mesh has no such axis of several ranks.
std::vector<OpSharding> listOptionsNear(mlir::Operation *op, const dist::Mesh &mesh,
                                        const OpSharding &current, llvm::StringRef axis);

/// All shardings of a tensor of `shape` on `mesh`, the whole one first: each axis cuts a dimension
/// or none. With `mayBePartial` an axis may be one over which the value is a partial sum.
std::vector<dist::Sharding> listShardings(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                          bool mayBePartial);

/// Those that are as `current` over all axes but one, `current` first.
std::vector<dist::Sharding> listShardingsNear(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                              bool mayBePartial, const dist::Sharding &current,
                                              llvm::StringRef axis);

} // namespace pcc::strategy
