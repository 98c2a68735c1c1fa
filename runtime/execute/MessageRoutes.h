// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which messages of a program go from which rank to which, and which of them both sides have in the
// same order. Every rank finds the same, since it has the programs of all.

#ifndef PCC_RUNTIME_EXECUTE_MESSAGEROUTES_H
#define PCC_RUNTIME_EXECUTE_MESSAGEROUTES_H

#include "runtime/abi/program.pb.h"
#include "runtime/collective/nccl/NcclRanks.h"

namespace pcc::runtime {

/// All messages from one rank to another under one route, if the sender starts them in the order in
/// which the receiver does: in a step, and in each section that both have by its name; else one for
/// each tag. In order of senders, receivers and tags. The executable must be valid.
std::vector<nccl::Route> messageRoutes(const abi::Executable &executable);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_MESSAGEROUTES_H
