// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search of a model found: the meshes that it tried, and of the best one what each op does.
#pragma once

#include "compiler/plan/MeshChoice.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// What is told of one op of the plan.
struct PlannedOp {
  std::string name;             ///< told apart from others of its name by `#1`, `#2`, …
  std::vector<std::string> in;  ///< shardings of the operands
  std::vector<std::string> out; ///< and of the results, as they are made
  double seconds = 0;           ///< of one step, without reshards
};

class SearchReport {
public:
  /// Of candidates, best first, while their problems are there.
  explicit SearchReport(llvm::ArrayRef<plan::MeshCandidate> candidates);

  /// `{"cost", "bound", "seconds", "meshes": […], "ops": {NAME: {"in_strategy", "out_strategy",
  /// "cost"}}, "pins": [{"pin", "cost", "most"}]}`; times in seconds. Of recursive cuts also
  /// "cut_seconds", which the cuts alone took, and "cost_before" their improvement.
  llvm::json::Value toJson() const;
  /// A table of the meshes, the plan's ops that take longest, and what pins cost.
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
  std::vector<strategy::PinPrice> pins;
};

} // namespace pcc::cli
