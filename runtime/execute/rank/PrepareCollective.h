// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a collective instruction, which serves all ranks, into the call of one rank.

#pragma once

#include "runtime/collective/Communicator.h"
#include "runtime/device/Device.h"

namespace pcc::runtime {

/// Returns the call of a valid collective instruction for the context's rank.
CollectiveCall prepareCollective(const abi::Collective &collective, const PrepareContext &context);

/// Returns whether the call writes to the `bytes` bytes at `begin`. `members` is the size of its
/// group.
bool writes(const CollectiveCall &call, const std::byte *begin, int64_t bytes, int members);

} // namespace pcc::runtime
