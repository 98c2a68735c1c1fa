// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is over on a rank when a message comes to it, by way of other ranks:
//
//   rank 0   forward[0] ── send h[0] ─┐              ┌─ recv g[0] ── backward[0]
//   rank 1                  recv h[0] ┴─ backward[0] ┴─ send g[0]
//
// When g[0] comes, rank 1 has h[0], so forward[0] is over on rank 0, and its send has read all that
// it sends. Rank 1 may have learnt as much of rank 2, and so on: knowledge goes along with
// messages.
//
// A side that sends is not taken to know anything of the one that receives, for a device may keep
// what is sent until it is asked for.
//
// Ranks at one position of their programs make a column; messages that all ranks of a program
// exchange with the other of their column count, and columns are alike. Other messages tell
// nothing.

#ifndef PCC_RUNTIME_CHECK_ARRIVALS_H
#define PCC_RUNTIME_CHECK_ARRIVALS_H

#include "runtime/check/HappensBefore.h"
#include "runtime/check/Matching.h"

namespace pcc::check {

/// By program: the arrivals of an episode that comes to its end (Rendezvous.h) with messages that
/// match.
std::vector<Arrivals> listArrivals(const std::vector<ProgramIndex> &programs,
                                   const Messages &messages, const Episode &episode);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_ARRIVALS_H
