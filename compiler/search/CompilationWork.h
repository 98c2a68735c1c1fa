// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of a compilation: the ops that its passes leave, and the table entries that its
// search of shardings reads. A search of plans counts work, not the clock, so that the same time
// limit gives the same plan.
#pragma once

#include "compiler/Compile.h"
#include "runtime/abi/program.pb.h"

namespace pcc::search {

/// Lets compilations with `options` call `advance` after each pass and after parts of a search of
/// shardings, with the seconds that a typical machine takes for their work. `isCutOff`: the clock
/// has ended the search. The calls may come from any thread, one at a time.
void countWork(CompileOptions &options, std::function<void(double seconds, bool isCutOff)> advance);

/// Returns the seconds in which a typical machine links, proves and simulates `program`.
double secondsToSimulate(const abi::Executable &program);

} // namespace pcc::search
