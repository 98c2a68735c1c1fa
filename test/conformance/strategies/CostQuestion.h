// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question under the cost model `memory`, with the question's weights and space of strategies.
#pragma once

#include "passes/strategy/memory_model/MemorySearch.h"
#include "test/conformance/strategies/ModelWriter.h"

namespace pcc::conformance {

/// Returns the counts of the factors of `op` if its operands are cut by `tuples`.
strategy::FactorCounts countFactors(const strategy::MemoryOp &op, const Tuples &tuples);

/// Reads shard counts from JSON.
Tuples readTuples(const llvm::json::Array &array);

class CostQuestion {
public:
  /// Prepares the costs of `question`, whose module is `module`.
  CostQuestion(const Case &question, mlir::ModuleOp module);

  const strategy::MemoryGraph &getGraph() const { return graph; }
  const strategy::MemorySpace &getSpace() const { return space; }
  const strategy::MemoryModel &getModel() const { return model; }
  /// Returns the number of a node of the question; -1 if the graph does not have the node.
  int findNode(llvm::StringRef name) const;

  /// Reads the answer's choice, by node; nothing if the answer lacks a node.
  std::optional<std::vector<strategy::FactorCounts>> readTheirs() const;
  /// Returns the cost of an assignment of every node.
  strategy::MemoryCost getCost(const std::vector<strategy::FactorCounts> &counts) const;

private:
  const Case &question;
  strategy::MemoryGraph graph;
  std::vector<std::string> names; ///< by node
  strategy::MemoryModel model;
  strategy::MemorySpace space;
};

/// Returns true if `theirs`, printed by MindSpore with six digits, equals `ours`.
bool isSameCost(double ours, double theirs);

} // namespace pcc::conformance
