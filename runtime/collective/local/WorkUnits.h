// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the work of one collective into work units that any member may do, in any order. The cut
// depends only on sizes, and each unit reduces in the order of positions. So the bits never depend
// on which member does a unit.

#pragma once

#include "runtime/collective/Communicator.h"

#include <span>

namespace pcc::runtime::local {

/// The same call as given by each member, by position. A null destination is not written here: that
/// member computes it itself.
using MemberCalls = std::span<const CollectiveCall *const>;

/// Returns the number of units; 0 if there is nothing to do.
int64_t workUnitCount(MemberCalls calls);

/// Does unit number `unit`.
void doWorkUnit(MemberCalls calls, int64_t unit);

/// Returns success if all members gave the same call (kind, type, shape, root, …), else the
/// difference, naming two members by `ranks[position]`.
Status checkSame(MemberCalls calls, std::span<const int> ranks);

/// Returns success if all members started equally many calls together, else the difference, naming
/// two members by `ranks[position]`.
Status checkCounts(std::span<const std::span<const CollectiveCall>> batches,
                   std::span<const int> ranks);

/// Returns success if the two sides of a message agree in type and shape, else the difference.
Status checkMessage(const CollectiveCall &send, int sender, const CollectiveCall &receive,
                    int receiver);

} // namespace pcc::runtime::local
