// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which ranks of a program send messages to which, and which messages both sides order
// equally. Every rank finds the same routes, since it has the programs of all ranks.

#ifndef PCC_RUNTIME_EXECUTE_MESSAGEROUTES_H
#define PCC_RUNTIME_EXECUTE_MESSAGEROUTES_H

#include "runtime/abi/program.pb.h"
#include "runtime/collective/nccl/NcclRanks.h"

namespace pcc::runtime {

/// Groups the messages of each sender and receiver into routes. All messages of a pair share one
/// route if the sender starts them in the order in which the receiver does. This must hold for a
/// step and for each section that both have under the same name. Otherwise each tag has its own
/// route. Routes are sorted by sender, receiver and tag. The executable must be valid.
std::vector<nccl::Route> messageRoutes(const abi::Executable &executable);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_MESSAGEROUTES_H
