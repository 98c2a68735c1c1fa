// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference collectives on doubles, element by element. They define results, not algorithms.

#pragma once

#include "runtime/collective/Communicator.h"

#include <vector>

namespace pcc::test {

using Values = std::vector<double>;

/// Converts a tensor's elements to doubles, and doubles to the bytes of an element type.
Values decode(abi::ElementType type, const std::byte *bytes, int64_t count);
std::vector<std::byte> encode(abi::ElementType type, const Values &values);

/// Returns the destinations of all members by position, given all sources and the former content of
/// the destinations. `call` is the call of any member.
std::vector<Values> referenceOf(const runtime::CollectiveCall &call,
                                const std::vector<Values> &sources,
                                const std::vector<Values> &before);

/// Returns the number of elements in the destination of a member of a group of `members`.
int64_t destinationCount(const runtime::CollectiveCall &call, int members);

} // namespace pcc::test
