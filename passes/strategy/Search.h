// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the shardings of a program on one mesh: builds the problem, solves it, and reads the
// solution back.
#pragma once

#include "passes/solve/Solve.h"
#include "passes/strategy/PinnedProgram.h"
#include "passes/strategy/SearchAlgorithm.h"
#include "passes/strategy/SearchProblem.h"

namespace pcc::strategy {

struct SearchOptions {
  SearchAlgorithm algorithm = SearchAlgorithm::DynamicProgramming;
  /// Bytes of one device; by default what the machine has.
  std::optional<int64_t> memoryLimit = {};
  solve::SolveOptions solve = {};

  int64_t getMemoryLimit(const abi::Cluster &cluster) const {
    return memoryLimit.value_or(static_cast<int64_t>(cluster.device().memory_bytes().value()));
  }
};

struct SearchOutcome {
  PinnedProgram asked;          ///< what had to hold
  PinnedProgram program;        ///< with the solution, if there is one
  solve::SolveResult result;    ///< costs in picoseconds of one step
  solve::Int128 costBefore = 0; ///< of the plan that was improved, where one was
  std::shared_ptr<const SearchProblem> problem;
  double seconds = 0; ///< that building the problem took

  bool isFeasible() const { return result.hasSolution(); }
};

/// Solves a problem by the algorithm of that name.
solve::SolveResult solveBy(SearchAlgorithm algorithm, const solve::StrategyProblem &problem,
                           const solve::SolveOptions &options);

/// `pinned` is what must hold; `cluster` is complete, has a device for each rank of its mesh and
/// outlives the outcome.
SearchOutcome search(mlir::ModuleOp module, PinnedProgram pinned, const abi::Cluster &cluster,
                     const SearchOptions &options);

} // namespace pcc::strategy
