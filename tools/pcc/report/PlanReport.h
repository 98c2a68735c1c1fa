// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the result of a search of plans for a cluster: the best plans of one number of devices,
// or the frontier of all numbers.
#pragma once

#include "compiler/search/PlanSearch.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>

namespace pcc::cli {

/// A search that went on from another one, on a machine that the user calls `name`.
struct OtherMachine {
  std::string name;
  std::unique_ptr<search::PlanSearch> search;
};

/// Returns a plan in words: `2 stages x DP 8 x TP 1, …, 12 parts recomputed: 4199.3 ms, 64.1 of
/// 80.0 GB`.
std::string summarizePlan(const search::PlanCandidate &candidate, int64_t devices, int64_t memory);

/// Prints a line of progress to stderr.
void printPlanProgress(const search::PlanSearch &search);
/// Prints the result of a search; the `maxShown` best plans.
void printPlans(const search::PlanSearch &search, size_t maxShown);
/// Prints the best plan of each other machine; nothing if there are none.
void printOtherMachines(const search::PlanSearch &search, llvm::ArrayRef<OtherMachine> others);
/// Returns `{"plans": [{"plan", "step_seconds", "peak_bytes", "fits", …}], "bound_seconds", …}`,
/// with `"what_if": [{"machine", "plan", …}]` if there are other machines.
llvm::json::Value plansToJson(const search::PlanSearch &search,
                              llvm::ArrayRef<OtherMachine> others);

/// Prints the plans of the frontier, and what each number of devices has given. Their scaling is
/// that of device seconds per step from the first row on.
void printFrontier(const search::FrontierSearch &search);
/// Returns `{"points": [{"devices", "plan", …}], "devices": [{"devices", "compiled", …}], …}`.
llvm::json::Value frontierToJson(const search::FrontierSearch &search);

} // namespace pcc::cli
