// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges between neighbours as the moves that they are made of. A move is a row of the table of
// a block exchange, whose ranks are positions in the group:
//
//   target, source, source offset (n), size (n), target offset (n)
#pragma once

#include "dialects/dist/Dist.h"

namespace pcc::dist {

/// Moves of boxes, in the order in which they are made.
using BoxMoves = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// The input of `op` that `position` receives as result number `result`: of several tensors between
/// one pair of ranks the n-th that is sent is the n-th that is received. Nothing if `position`
/// receives there from nobody, or from one that sends it no such tensor.
std::optional<unsigned> findSentInput(NeighborExchangeOp op, int64_t position, unsigned result);

/// What `op` does as an adding block exchange from its tile to its result: each rank's own tile,
/// then the borders that it receives.
BoxMoves getMoves(NeighborExchangeV2Op op);

/// What is wrong with the neighbours or widths of an `op` whose tables are of the right form; empty
/// if nothing is.
std::string describeMismatch(NeighborExchangeV2Op op);

/// The moves from result to input that take the gradient back: sources and targets change places.
BoxMoves reverseMoves(TableAttr moves);

} // namespace pcc::dist
