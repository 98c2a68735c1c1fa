// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the result of a model's plan search: the meshes that it tried, and each op of the best
// one.
#pragma once

#include "compiler/plan/MeshChoice.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// Reported facts of one op of the plan.
struct PlannedOp {
  std::string name;             ///< made unique by `#1`, `#2`, …
  std::vector<std::string> in;  ///< shardings of the operands
  std::vector<std::string> out; ///< shardings of the results, as produced
  double seconds = 0;           ///< per step, without reshards
};

class SearchReport {
public:
  /// Copies the reported facts out of `candidates`, best first, whose problems must still exist.
  explicit SearchReport(llvm::ArrayRef<plan::MeshCandidate> candidates);

  /// Returns `{"cost", "bound", "seconds", "meshes": […], "ops": {NAME: {"in_strategy",
  /// "out_strategy", "cost"}}, "pins": [{"constraint", "cost", "most"}]}`; times in seconds. With
  /// recursive cuts also "cut_seconds", the time of the cuts alone, and "cost_before", the cost
  /// before their improvement.
  llvm::json::Value toJson() const;
  /// Prints a table of the meshes, the slowest ops of the plan, and the cost of constraints.
  void print() const;

private:
  struct Mesh {
    std::string name, status;
    double cost = 0, bound = 0, seconds = 0;
    bool isFeasible = false;
    double cutSeconds = 0, costBefore = 0;
  };

  std::vector<Mesh> meshes;
  std::vector<PlannedOp> ops; ///< in program order
  std::vector<strategy::ConstraintCost> pins;
};

} // namespace pcc::cli
