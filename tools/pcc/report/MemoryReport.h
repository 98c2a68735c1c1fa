// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the result of a strategy search under the cost model `memory`. Its costs are not times
// but weighted bytes (docs/spec/memory-model.md).
#pragma once

#include "passes/strategy/memory_model/MemorySearch.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

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
  strategy::MemoryCost price;
  double total, bound, seconds;
  std::vector<Op> ops; ///< in program order
};

} // namespace pcc::cli
