// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between threads of one process. Ranks may far outnumber cores.

#ifndef PCC_RUNTIME_COLLECTIVE_LOCAL_LOCALCOMMUNICATOR_H
#define PCC_RUNTIME_COLLECTIVE_LOCAL_LOCALCOMMUNICATOR_H

#include "runtime/collective/Communicator.h"
#include "runtime/machine/Link.h"

#include <memory>
#include <optional>
#include <vector>

namespace pcc::runtime {

/// Communicators of `ranks` ranks, one for each thread, for a process that may use `cores` cores
/// (0: all of the machine). With a `link` nothing is done before it would have arrived over links
/// of that kind (EmulatedLink.h); who waits for it sleeps. A communicator is used by one thread;
/// abort() by any.
std::vector<std::unique_ptr<Communicator>>
makeLocalCommunicators(int ranks, int cores = 0, const std::optional<machine::Link> &link = {});

} // namespace pcc::runtime

#endif // PCC_RUNTIME_COLLECTIVE_LOCAL_LOCALCOMMUNICATOR_H
