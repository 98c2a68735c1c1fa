// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a member says of a batch of collectives, as bytes: each call and what its source has.

#ifndef PCC_RUNTIME_COLLECTIVE_STORE_WIRE_H
#define PCC_RUNTIME_COLLECTIVE_STORE_WIRE_H

#include "runtime/collective/Communicator.h"

#include <span>
#include <string>
#include <vector>

namespace pcc::runtime::store {

std::string packCalls(std::span<const CollectiveCall> calls);

/// The calls that were packed. Their sources lie in `bytes`, aligned as these are to 16 bytes at
/// most, and have all elements of their shapes or are null; there are no destinations, and of boxes
/// only who gives to whom. Error: bytes that packCalls does not make.
Expected<std::vector<CollectiveCall>> unpackCalls(const std::string &bytes);

} // namespace pcc::runtime::store

#endif // PCC_RUNTIME_COLLECTIVE_STORE_WIRE_H
