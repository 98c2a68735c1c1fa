// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Freedom from deadlock, by one run. A rank goes through its list; a record begins when what it
// waits for is done; a collective is done when all members have begun it, a send when its receive
// has begun. Nothing is buffered. Collectives of COMMUNICATION run one by one beside COMPUTE;
// messages of TRANSFER begin at once.
//
// One run is a proof for all: who meets whom is fixed before (groups, peers, tags), so what can
// happen next stays possible whatever else happens first, and all orders end in the same state
// (Newman, 1942, "On theories with a combinatorial definition of equivalence"). A device that
// blocks less only gets further.

#ifndef PCC_RUNTIME_CHECK_RENDEZVOUS_H
#define PCC_RUNTIME_CHECK_RENDEZVOUS_H

#include "runtime/check/Schedule.h"

namespace pcc::check {

/// Runs an episode whose messages and collectives match, by the schedules of the programs. An error
/// shows the ranks that wait for each other. `what` begins it: "deadlock".
abi::Status runToTheEnd(const std::vector<ProgramIndex> &programs, const Messages &messages,
                        const std::vector<Schedule> &schedules, const char *what);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_RENDEZVOUS_H
