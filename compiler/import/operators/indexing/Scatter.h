// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes to single rows of a tensor, which several operators share.
//
//     Add              one scatter_add
//     None             sum of the updates where there are some; the same index twice has no meaning
//     Mul, Min, Max    each row against each index; a reduction over those that are equal
#pragma once

#include "compiler/import/emit/Node.h"

namespace pcc::import {

/// How updates and elements are combined.
enum class Reduction { None, Add, Mul, Min, Max };

/// Reads the attribute `reduction`; nothing after an error.
std::optional<Reduction> readReduction(Node &node);

/// Returns the attributes of a gather or scatter of axis 0. `blocks` counts the rows that their own
/// indices do not leave (analysis::ownBlocksAttrName).
llvm::SmallVector<mlir::NamedAttribute> rowAttributes(Emitter &emit, int64_t blocks);

/// Returns the elements of `x` along dimension 0 at `rows`, which are not negative. `blocks` is as
/// in rowAttributes.
Tensor gatherRows(Emitter &emit, const Tensor &x, const Tensor &rows, int64_t blocks);

/// Returns `x`, [rows, …], with `updates`, [count, …], added to or put in place of its rows
/// `indices`, [count] of i64. `blocks` is as in rowAttributes. Returns null after an error.
Tensor scatterRows(Emitter &emit, const Tensor &x, const Tensor &indices, const Tensor &updates,
                   bool adds, int64_t blocks = 1);

/// Returns `x`, [rows, width], with the `updates`, [count, width], combined with the rows that
/// `indices`, [count, width] or [count, 1] of i64, give for each column. Returns null after an
/// error.
Tensor reduceIntoRows(Emitter &emit, const Tensor &x, const Tensor &indices, const Tensor &updates,
                      Reduction reduction);

} // namespace pcc::import
