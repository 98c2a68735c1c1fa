// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of tensors, and the blocks of a global tensor that the ranks of a mesh hold.
#pragma once

#include "compiler/interpret/Tensor.h"
#include "dialects/dist/Sharding.h"

namespace pcc::interpret {

/// The box of `shape` whose first element is at `offset` of `whole`.
Tensor extractBox(const Tensor &whole, llvm::ArrayRef<int64_t> offset,
                  llvm::ArrayRef<int64_t> shape);

/// Copies the box of `shape` at `sourceOffset` of `source` to `offset` of `whole`.
void insertBox(Tensor &whole, llvm::ArrayRef<int64_t> offset, const Tensor &source,
               llvm::ArrayRef<int64_t> sourceOffset, llvm::ArrayRef<int64_t> shape);

/// The tensors one after the other along `axis`; all other dimensions are equal.
Tensor concatenate(llvm::ArrayRef<Tensor> pieces, int64_t axis);

/// The tensors of one type combined element by element, from the first to the last: floats in
/// doubles, unrounded; integers wrap.
Tensor combine(ReduceKind kind, llvm::ArrayRef<Tensor> values);

/// The tensor like `like` that changes nothing when combined: zeros, ones, or the infinities (for
/// integers the least and the greatest number).
Tensor neutral(ReduceKind kind, const Tensor &like);

/// The block of `whole` that `rank` holds. Where the value is partial, the ranks at coordinate 0 of
/// the partial axes hold it and all others the neutral element.
Tensor cut(const Tensor &whole, const dist::Sharding &sharding, const dist::Mesh &mesh,
           int64_t rank);

/// As `cut`, but the elements of a partial value are dealt out at random (by `seed`) to the ranks
/// along the partial axes, so that no rank's part may be ignored. Exact: one rank holds an element,
/// the others the neutral one.
Tensor deal(const Tensor &whole, const dist::Sharding &sharding, const dist::Mesh &mesh,
            int64_t rank, uint64_t seed);

/// The global value of which `blocks` has each rank's block, partial ones combined.
Tensor join(llvm::ArrayRef<Tensor> blocks, const dist::Sharding &sharding, const dist::Mesh &mesh);

/// Two ranks that should hold the same block and do not, if any.
std::optional<std::pair<int64_t, int64_t>> findDifferentCopies(llvm::ArrayRef<Tensor> blocks,
                                                               const dist::Sharding &sharding,
                                                               const dist::Mesh &mesh);

} // namespace pcc::interpret
