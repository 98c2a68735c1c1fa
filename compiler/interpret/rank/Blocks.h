// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a global tensor that the ranks of a mesh hold.
#pragma once

#include "compiler/values/Tensor.h"
#include "dialects/dist/Sharding.h"

namespace pcc::interpret {

using namespace values;

/// Combines tensors of one type element by element, from the first to the last. Floats are combined
/// in doubles, without rounding; integers wrap.
Tensor combine(ReduceKind kind, llvm::ArrayRef<Tensor> values);

/// Returns a tensor like `like` with the neutral element of `kind`: zeros, ones, or the infinities
/// (for integers the least and the greatest number).
Tensor neutral(ReduceKind kind, const Tensor &like);

/// Returns the block of `whole` that `rank` holds. If the value is partial, the ranks at coordinate
/// 0 of the partial axes hold the block, and all other ranks hold the neutral element.
Tensor cut(const Tensor &whole, const dist::Sharding &sharding, const dist::Mesh &mesh,
           int64_t rank);

/// Same as `cut`, but distributes the elements of a partial value at random (by `seed`) over the
/// ranks along the partial axes. No rank's part may then be ignored. The result is exact: one rank
/// holds an element, and the other ranks hold the neutral element.
Tensor splitRandomly(const Tensor &whole, const dist::Sharding &sharding, const dist::Mesh &mesh,
                     int64_t rank, uint64_t seed);

/// Returns the global value from each rank's block, and combines partial values.
Tensor join(llvm::ArrayRef<Tensor> blocks, const dist::Sharding &sharding, const dist::Mesh &mesh);

/// Returns two ranks that should hold the same block but do not, if any.
std::optional<std::pair<int64_t, int64_t>> findDifferentCopies(llvm::ArrayRef<Tensor> blocks,
                                                               const dist::Sharding &sharding,
                                                               const dist::Mesh &mesh);

} // namespace pcc::interpret
