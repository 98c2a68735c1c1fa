// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc explain --op`: the options of one op of a searched plan.
#pragma once

#include "passes/strategy/search/PlanAlternatives.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Prints a row for each option with its plan's step time, then its shardings and what makes it
/// worse.
void printTable(const strategy::OpExplanation &explanation);

/// Returns `{"op", "section", "rule", "runs", "mesh", "cost", "bound", "options": [{"chosen",
/// "split", "in_strategy", "out_strategy", "seconds", "bytes", "collectives": [{"collective",
/// "seconds"}], "status", "cost", "bound", "against": {"from", "to", "made", "wanted", "steps",
/// "before", "after"}}]}`. Times are in seconds of a step; those of collectives are of one run.
llvm::json::Value toJson(const strategy::OpExplanation &explanation);

} // namespace pcc::cli
