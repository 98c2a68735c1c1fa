// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc explain --cost`: the cost of a step on a machine, by section.
#pragma once

#include "compiler/plan/StepCost.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Prints a table of milliseconds, a row for each pass of each section, and the totals.
void printTable(const plan::StepCost &step);

/// Returns `{"step_seconds", "peak_bytes", "held_bytes", "reductions", "gathers", "hidden",
/// "sections": [{"section", "runs", "seconds", "flops", "live_bytes", "hidden", "forward": {…},
/// "recomputed": {…}, "backward": {…}}]}`, in seconds.
llvm::json::Value toJson(const plan::StepCost &step);

} // namespace pcc::cli
