// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the schedules of all ranks (RendezvousState.h), and explains a deadlock.

#pragma once

#include "runtime/check/RendezvousState.h"

namespace pcc::check {

/// Runs an execution by the schedules of its programs; messages and collectives must match. An
/// error shows the ranks that wait for each other and begins with `what`, e.g. "deadlock".
abi::Status runToCompletion(const std::vector<ProgramIndex> &programs, const Messages &messages,
                            const std::vector<RendezvousSchedule> &schedules, const char *what);

} // namespace pcc::check
