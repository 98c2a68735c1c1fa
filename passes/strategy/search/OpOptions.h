// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the options of one op on a mesh. An option assigns each mesh axis to one of these roles:
//
//   a factor       the axis splits the op's work by the factor
//   a linear set   the operands of the set, and the result, are partial over the axis
//   nothing        all ranks along the axis do the same work
//
//   matmul ([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)} on tp=4
//     i           [tp, _], [_, _] -> [tp, _]
//     k           [_, tp], [tp, _] -> [_, _] partial(sum: tp)
//     j           [_, _], [_, tp] -> [_, tp]
//     operand 0   [_, _] partial(sum: tp), [_, _] -> [_, _] partial(sum: tp)
//     operand 1   [_, _], [_, _] partial(sum: tp) -> [_, _] partial(sum: tp)
//     nothing     [_, _], [_, _] -> [_, _]
//
// Several axes may split one factor, in the order of the mesh. All carried axes pass through the
// same linear set. Blocks are equal and contiguous.
#pragma once

#include "passes/strategy/propagate/OpSharding.h"

namespace pcc::strategy {

/// Lists all distinct options of `op`, which has a factor rule, on `mesh`. The first splits
/// nothing.
std::vector<OpSharding> listOptions(mlir::Operation *op, const dist::Mesh &mesh);

/// Lists the options of `op` that equal `current` over all axes except `axis`, `current` first.
/// Returns only `current` if the mesh has no such axis of several ranks.
std::vector<OpSharding> listOptionsNear(mlir::Operation *op, const dist::Mesh &mesh,
                                        const OpSharding &current, llvm::StringRef axis);

/// Lists all shardings of a tensor of `shape` on `mesh`, the replicated one first. Each axis cuts
/// one dimension or none. If `mayBePartial`, the value may also be a partial sum over an axis.
std::vector<dist::Sharding> listShardings(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                          bool mayBePartial);

/// Lists the shardings that equal `current` over all axes except `axis`, `current` first.
std::vector<dist::Sharding> listShardingsNear(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                                              bool mayBePartial, const dist::Sharding &current,
                                              llvm::StringRef axis);

} // namespace pcc::strategy
