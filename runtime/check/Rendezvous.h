// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves freedom from deadlock by one run. A rank advances through its list. An instruction begins
// when its waits are done. A collective is done when all members have begun it, a send when its
// receive has begun. Nothing is buffered. Collectives of COMMUNICATION run one by one beside
// COMPUTE; messages of TRANSFER begin at once.
//
// One run proves all runs. The partners of each rendezvous are fixed (groups, peers, tags). So an
// enabled event stays enabled whatever else happens first, and all orders end in the same state
// (Newman, 1942, "On theories with a combinatorial definition of equivalence"). A device that
// blocks less only advances further.

#ifndef PCC_RUNTIME_CHECK_RENDEZVOUS_H
#define PCC_RUNTIME_CHECK_RENDEZVOUS_H

#include "runtime/check/RendezvousSchedule.h"

namespace pcc::check {

/// Runs an episode by the schedules of its programs; messages and collectives must match. An error
/// shows the ranks that wait for each other and begins with `what`, e.g. "deadlock".
abi::Status runToCompletion(const std::vector<ProgramIndex> &programs, const Messages &messages,
                            const std::vector<RendezvousSchedule> &schedules, const char *what);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_RENDEZVOUS_H
