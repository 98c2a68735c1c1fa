// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives on doubles, element by element: what they mean, not how they are done.

#ifndef PCC_TEST_UNIT_RUNTIME_COLLECTIVEREFERENCE_H
#define PCC_TEST_UNIT_RUNTIME_COLLECTIVEREFERENCE_H

#include "runtime/collective/Communicator.h"

#include <vector>

namespace pcc::test {

using Values = std::vector<double>;

/// A tensor's elements converted to doubles, and back into an element type's bytes.
Values decode(abi::ElementType type, const std::byte *bytes, int64_t count);
std::vector<std::byte> encode(abi::ElementType type, const Values &values);

/// The destinations of all members, by position, given their sources and what the destinations
/// held. `call` is the call of any member.
std::vector<Values> referenceOf(const runtime::CollectiveCall &call,
                                const std::vector<Values> &sources,
                                const std::vector<Values> &before);

/// Elements of the destination of a member of a group of `members`.
int64_t destinationCount(const runtime::CollectiveCall &call, int members);

} // namespace pcc::test

#endif // PCC_TEST_UNIT_RUNTIME_COLLECTIVEREFERENCE_H
