// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a collective record, which serves all ranks, to the call that one rank makes.

#ifndef PCC_RUNTIME_EXECUTE_PREPARECOLLECTIVE_H
#define PCC_RUNTIME_EXECUTE_PREPARECOLLECTIVE_H

#include "runtime/collective/Communicator.h"
#include "runtime/device/Device.h"

namespace pcc::runtime {

/// The call of a valid collective record on the context's rank.
CollectiveCall prepareCollective(const abi::Collective &collective, const PrepareContext &context);

/// True if the call writes to the `bytes` bytes at `begin`. `members` is the size of its group.
bool writes(const CollectiveCall &call, const std::byte *begin, int64_t bytes, int members);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_PREPARECOLLECTIVE_H
