// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `pcc simulate` tells of a program: a row for each class of ranks that do the same at the
// same times.
#pragma once

#include "runtime/simulate/Simulate.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// The timeline, `columns` wide (0: none), a table of milliseconds by what they are spent on, a
/// table of megabytes, memory over time and what fills it at the peak for the ranks that need most,
/// and a line on the step.
void printSimulation(const abi::Executable &executable, const simulate::Simulation &simulation,
                     int columns);

/// `{"episode", "seconds", "ranks", "bubble_share", "classes": [{"stage", "ranks": […],
/// "seconds": {"compute", "slowed", "communication", "warm_up", "receive", "send", "collective",
/// "drain"}, "moving", "hidden", "bytes": {"held", "peak_live", "planned"}, "live": [[seconds,
/// bytes]], "at_peak": [{"op", "section", "microbatch", "copy", "bytes"}]}]}`, in seconds.
llvm::json::Value toJson(const abi::Executable &executable, const simulate::Simulation &simulation);

} // namespace pcc::cli
