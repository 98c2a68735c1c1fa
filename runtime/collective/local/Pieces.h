// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of one collective, cut into pieces that any member may do, in any order. The cut depends
// on sizes alone, and each piece reduces in the order of positions, so the bits never depend on who
// does what.

#ifndef PCC_RUNTIME_COLLECTIVE_LOCAL_PIECES_H
#define PCC_RUNTIME_COLLECTIVE_LOCAL_PIECES_H

#include "runtime/collective/Communicator.h"

#include <span>

namespace pcc::runtime::local {

/// The same call as each member gave it, by position. A destination that is null is not written:
/// that member does so itself, elsewhere.
using MemberCalls = std::span<const CollectiveCall *const>;

/// The number of pieces; 0 if there is nothing to do.
int64_t pieceCount(MemberCalls calls);

/// Does piece number `piece`.
void doPiece(MemberCalls calls, int64_t piece);

/// Success if all members gave the same call (kind, type, shape, root, …); else the difference,
/// naming two members by `ranks[position]`.
Status checkSame(MemberCalls calls, std::span<const int> ranks);

/// Success if all members started as many calls together; else the difference, in the same way.
Status checkCounts(std::span<const std::span<const CollectiveCall>> batches,
                   std::span<const int> ranks);

/// Success if the two sides of a message agree in type and shape; else the difference.
Status checkMessage(const CollectiveCall &send, int sender, const CollectiveCall &receive,
                    int receiver);

} // namespace pcc::runtime::local

#endif // PCC_RUNTIME_COLLECTIVE_LOCAL_PIECES_H
