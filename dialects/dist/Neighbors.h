// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expresses exchanges between neighbors as moves. A move is a row of the table of a block exchange;
// its ranks are positions in the group:
//
//   target, source, source offset (n), size (n), target offset (n)
#pragma once

#include "dialects/dist/Dist.h"

namespace pcc::dist {

/// Moves of boxes, in the order in which they are made.
using BoxMoves = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Returns the input of `op` that `position` receives as result number `result`. If a pair of ranks
/// exchanges several tensors, the n-th sent is the n-th received. Returns nothing if `position`
/// receives no such result, or its source does not send it such a tensor.
std::optional<unsigned> findSentInput(NeighborExchangeOp op, int64_t position, unsigned result);

/// Returns the moves of `op` as an adding block exchange from its tile to its result: each rank's
/// own tile, then the borders that it receives.
BoxMoves getMoves(NeighborExchangeV2Op op);

/// Describes what is wrong with the neighbors or widths of `op`; empty if nothing is. The tables of
/// `op` must be well-formed.
std::string describeMismatch(NeighborExchangeV2Op op);

/// Returns the moves from result to input that take the gradient back: sources and targets change
/// places.
BoxMoves transposeMoves(TableAttr moves);

} // namespace pcc::dist
