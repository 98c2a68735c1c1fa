// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal masks that a comparison of positions makes, without their elements:
//
//   select (compare le, key, query), 0, -∞        key: 0, 1, 2, … along the last dimension
//                                                 query: the same along the dimension before
//
// Masks of many positions are computed when the program runs, so no constant shows what they hide.
#pragma once

#include "passes/graph/Match.h"

namespace pcc::graph {

/// A mask with one number beyond a diagonal of the scores, where the position of the key is greater
/// than that of the query plus `offset`, and another one elsewhere.
struct DiagonalMask {
  int64_t offset = 0;
  double beyond = 0.0, elsewhere = 0.0; ///< booleans are 0 and 1
};

/// Returns the form of `mask`, numbers or booleans that fit `scores` (Narrow.h), of rank 4. Returns
/// nothing for all other masks.
std::optional<DiagonalMask> findDiagonalMask(mlir::Value mask, llvm::ArrayRef<int64_t> scores);

} // namespace pcc::graph
