// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Report of `pcc simulate` on a program: a row for each class of ranks that do the same at the same
// times.
#pragma once

#include "runtime/simulate/Simulate.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Prints the timeline, `columns` wide (0: none), a table of milliseconds by activity, a table of
/// megabytes, and a line on the step. For the ranks that need most memory, also prints their memory
/// over time and what fills it at the peak.
void printSimulation(const abi::Executable &executable, const simulate::Simulation &simulation,
                     int columns);

/// Returns `{"episode", "seconds", "ranks", "bubble_share", "classes": [{"stage", "ranks": […],
/// "seconds": {"compute", "slowed", "communication", "warm_up", "receive", "send", "collective",
/// "drain"}, "moving", "hidden", "bytes": {"held", "peak_live", "planned"}, "live": [[seconds,
/// bytes]], "at_peak": [{"op", "section", "microbatch", "copy", "bytes"}]}]}`, in seconds.
llvm::json::Value toJson(const abi::Executable &executable, const simulate::Simulation &simulation);

} // namespace pcc::cli
