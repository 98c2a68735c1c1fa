// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of searches, each as a table and as JSON: of shardings and pipelines for `pcc search`,
// and of whole plans for `pcc plan`.
#pragma once

#include "compiler/plan/choice/MeshChoice.h"
#include "compiler/plan/choice/PipelineChoice.h"
#include "compiler/search/PlanSearch.h"
#include "passes/strategy/memory_model/MemorySearch.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>

namespace pcc::cli {

//===-- SearchReport.cpp: `pcc search` --------------------------------------------------------===//

/// Reported facts of one op of the plan.
struct PlannedOp {
  std::string name;             ///< made unique by `#1`, `#2`, …
  std::vector<std::string> in;  ///< shardings of the operands
  std::vector<std::string> out; ///< shardings of the results, as produced
  double seconds = 0;           ///< per step, without reshards
  double hidden = 0;            ///< by how much its ops would take longer one after the other
};

/// Reports the meshes that a search of shardings tried, and each op of the best one.
class SearchReport {
public:
  /// Copies the reported facts out of `candidates`, best first, whose problems must still exist.
  explicit SearchReport(llvm::ArrayRef<plan::MeshCandidate> candidates);
  /// Sets the seconds of the best plan's program by the same costs, if nothing is hidden.
  void setProgramCost(double seconds) { programCost = seconds; }

  /// Returns `{"cost", "program_cost", "hidden", "bound", "seconds", "meshes": […], "ops": {NAME:
  /// {"in_strategy", "out_strategy", "cost"}}, "constraints": [{"constraint", "cost",
  /// "max_cost"}]}`; times in seconds. "hidden" is what the cost hides within ops. With recursive
  /// cuts also "cut_seconds", the time of the cuts alone, and "cost_before", the cost before their
  /// improvement.
  llvm::json::Value toJson() const;
  /// Prints a table of the meshes, the slowest ops of the plan, and the cost of constraints.
  void print() const;

private:
  double secondsHidden() const;

  struct Mesh {
    std::string name, status;
    double cost = 0, bound = 0, seconds = 0;
    bool isFeasible = false;
    double cutSeconds = 0, costBefore = 0;
  };

  std::vector<Mesh> meshes;
  std::optional<double> programCost;
  std::vector<PlannedOp> ops; ///< in program order
  std::vector<strategy::ConstraintCost> constraints;
};

/// Reports the result of a strategy search under the cost model `memory`. Its costs are not times
/// but weighted bytes (docs/spec/memory-model.md).
class MemoryReport {
public:
  /// Copies the reported facts out of `outcome`, whose program must still exist.
  explicit MemoryReport(const strategy::MemoryOutcome &outcome);

  /// Returns `{"cost", "bound", "status", "seconds", "mesh", "computation", "activations",
  /// "parameters", "ops": …}`. "ops" maps the name of each op to `{"in_strategy", "out_strategy",
  /// "cost"}`; strategies are counts.
  llvm::json::Value toJson() const;
  /// Prints the cost, then the most expensive ops.
  void print() const;

private:
  struct Op {
    std::string name, in, out;
    double total;
  };

  std::string mesh, status;
  strategy::MemoryCost cost;
  double total, bound, seconds;
  std::vector<Op> ops; ///< in program order
};

/// Reports the candidates of `pcc search --pipelines`.
class PipelineReport {
public:
  /// `candidates`, best first and at least one, must outlive this object.
  explicit PipelineReport(llvm::ArrayRef<plan::PipelineCandidate> candidates)
      : candidates(candidates) {}

  /// Prints a table of the candidates, best first, and the flags of the best one.
  void print() const;
  /// Returns `{"candidates": [{"pipeline_stages", "micro_batches", "virtual_stages",
  /// "pipeline_schedule", "stage_memory", "seconds", "bound_seconds", "bubble", "peak_bytes",
  /// "recomputed_ops", "pruned", "error"}]}`.
  llvm::json::Value toJson() const;

private:
  llvm::ArrayRef<plan::PipelineCandidate> candidates;
};

//===-- PlanReport.cpp: `pcc plan` ------------------------------------------------------------===//

// Reports the result of a search of plans for a cluster: the best plans of one number of devices,
// or the frontier of all numbers.

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
