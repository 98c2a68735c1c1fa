// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the calls that the members of a group make in one batch, and says where they differ.
// Every transport that sees the calls of all members does so.

#pragma once

#include "runtime/collective/Communicator.h"

#include <span>

namespace pcc::runtime {

/// The same call as given by each member, by position.
using MemberCalls = std::span<const CollectiveCall *const>;

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

} // namespace pcc::runtime
