// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc explain --op`: the options of one op of a searched plan.
#pragma once

#include "passes/strategy/PlanAlternatives.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// A row for each option with what its plan takes, its shardings below, and what speaks against it.
void printTable(const strategy::OpExplanation &explanation);

/// `{"op", "section", "rule", "runs", "mesh", "cost", "bound", "options": [{"chosen", "split",
/// "in_strategy", "out_strategy", "seconds", "bytes", "collectives": [{"collective", "seconds"}],
/// "status", "cost", "bound", "against": {"from", "to", "made", "wanted", "steps", "before",
/// "after"}}]}`; times in seconds of a step, those of collectives of one run.
llvm::json::Value toJson(const strategy::OpExplanation &explanation);

} // namespace pcc::cli
