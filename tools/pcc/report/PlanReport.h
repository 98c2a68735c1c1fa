// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the result of `pcc plan`: the best plan in a sentence, the runners-up and why they lose,
// and how much of the space was tried.
#pragma once

#include "compiler/search/PlanSearch.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Returns a plan in words: `2 stages x DP 8 x TP 1, …, 12 parts recomputed: 4199.3 ms, 64.1 of
/// 80.0 GB`.
std::string summarizePlan(const search::PlanCandidate &candidate, int64_t devices, int64_t memory);

/// Prints a line of progress to stderr.
void printPlanProgress(const search::PlanSearch &search);

/// Prints the result of a search for a program on `devices` ranks; the `maxShown` best plans.
void printPlans(const search::PlanSearch &search, int64_t devices, size_t maxShown);

/// Returns `{"plans": [{"plan", "step_seconds", "peak_bytes", "fits", …}], "bound_seconds", …}`.
llvm::json::Value plansToJson(const search::PlanSearch &search, int64_t devices);

} // namespace pcc::cli
