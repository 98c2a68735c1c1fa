// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question under the cost model `memory`, with the weights and among the strategies that it asks
// for.
#pragma once

#include "passes/strategy/reference/MemoryProblem.h"
#include "test/conformance/strategies/ModelWriter.h"

namespace pcc::conformance {

/// How the factors of `op` are cut if its operands are cut as `tuples` say.
strategy::FactorCounts countFactors(const strategy::MemoryOp &op, const Tuples &tuples);

/// Shard counts from JSON.
Tuples readTuples(const llvm::json::Array &array);

class Pricing {
public:
  /// Of a question whose module is `module`.
  Pricing(const Case &question, mlir::ModuleOp module);

  const strategy::MemoryGraph &getGraph() const { return graph; }
  const strategy::MemorySpace &getSpace() const { return space; }
  const strategy::MemoryModel &getModel() const { return model; }
  /// The number of a node of the question; -1 if the graph has not got it.
  int findNode(llvm::StringRef name) const;

  /// What the answer chose, by node; nothing if it is silent about one.
  std::optional<std::vector<strategy::FactorCounts>> readTheirs() const;
  /// The price of an assignment in which every node is given.
  strategy::MemoryCost getCost(const std::vector<strategy::FactorCounts> &counts) const;

private:
  const Case &question;
  strategy::MemoryGraph graph;
  std::vector<std::string> names; ///< by node
  strategy::MemoryModel model;
  strategy::MemorySpace space;
};

/// Whether the reference system, which prints six digits, means `ours` by `theirs`.
bool isSamePrice(double ours, double theirs);

} // namespace pcc::conformance
