// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a rank that is known to be done when a message arrives there, by way of other ranks:
//
//   rank 0   forward[0] ── send h[0] ─┐              ┌─ recv g[0] ── backward[0]
//   rank 1                  recv h[0] ┴─ backward[0] ┴─ send g[0]
//
// When g[0] arrives, rank 1 has h[0]. So forward[0] is done on rank 0, and its send has read all of
// its source. Rank 1 may in turn have learned facts about rank 2, and so on: knowledge travels with
// messages.
//
// A sender learns nothing about its receiver, because a device may buffer a message until it is
// received.
//
// Ranks at the same position of their programs form a column, and all columns are alike. Only
// messages that all ranks of a program exchange within their columns carry knowledge.

#pragma once

#include "runtime/check/HappensBefore.h"
#include "runtime/check/Matching.h"

namespace pcc::check {

/// Lists the arrivals of an episode by program. The episode must complete (Rendezvous.h), and its
/// messages must match.
std::vector<Arrivals> listArrivals(const std::vector<ProgramIndex> &programs,
                                   const Messages &messages, const Episode &episode);

} // namespace pcc::check
