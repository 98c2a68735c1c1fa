// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes a member's batch of collectives: each call and the data of its source.

#pragma once

#include "runtime/collective/Communicator.h"

#include <span>
#include <string>
#include <vector>

namespace pcc::runtime::store {

std::string packCalls(std::span<const CollectiveCall> calls);

/// Returns the calls packed in `bytes`. Their sources point into `bytes`, at multiples of 16 bytes
/// from its start. A source has all elements of its shape or is null. There are no destinations.
/// Boxes have only the positions of their two members; a receiver moves data by its own boxes, and
/// compares only the number of boxes (SameCalls.cpp). Error: lengths that do not fit, or an unknown
/// element type.
Expected<std::vector<CollectiveCall>> unpackCalls(const std::string &bytes);

} // namespace pcc::runtime::store
