// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search of a model under the cost model `memory` found. Costs are no times: bytes, weighted
// (docs/spec/memory-model.md).
#pragma once

#include "passes/strategy/MemorySearch.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

class MemoryReport {
public:
  /// Of an outcome, while its program is there.
  explicit MemoryReport(const strategy::MemoryOutcome &outcome);

  /// `{"cost", "bound", "seconds", "mesh", "computation", "activations", "parameters", "ops": …}`,
  /// of each op by its name `{"in_strategy", "out_strategy", "cost"}`; strategies as counts.
  llvm::json::Value toJson() const;
  /// The price, then the ops that cost most.
  void print() const;

private:
  struct Op {
    std::string name, in, out;
    double total;
  };

  std::string mesh, status;
  strategy::MemoryPrice price;
  double total, bound, seconds;
  std::vector<Op> ops; ///< in program order
};

} // namespace pcc::cli
