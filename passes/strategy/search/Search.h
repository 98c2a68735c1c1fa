// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the shardings of a program on one mesh: builds the problem, solves it, and converts the
// solution to shardings.
#pragma once

#include "passes/solve/strategy/Solve.h"
#include "passes/strategy/SearchAlgorithm.h"
#include "passes/strategy/constraints/ConstrainedProgram.h"
#include "passes/strategy/search/SearchProblem.h"

namespace pcc::strategy {

struct SearchOptions {
  SearchAlgorithm algorithm = SearchAlgorithm::DynamicProgramming;
  /// Bytes of one device; 0: the memory of the machine's device.
  int64_t memoryLimit = 0;
  solve::SolveOptions solve = {};
};

struct SearchOutcome {
  ConstrainedProgram asked;     ///< the constraints
  ConstrainedProgram program;   ///< includes the solution, if there is one
  solve::SolveResult result;    ///< costs in picoseconds of one step
  solve::Int128 costBefore = 0; ///< cost of the plan before improvement, if there was one
  std::shared_ptr<const SearchProblem> problem;
  double seconds = 0; ///< duration of building the problem

  bool isFeasible() const { return result.hasSolution(); }
};

/// Solves a problem by the given algorithm.
solve::SolveResult solveBy(SearchAlgorithm algorithm, const solve::StrategyProblem &problem,
                           const solve::SolveOptions &options);

/// Searches under the constraints in `constrained`. `cluster` must be complete, have a device for
/// each rank of the mesh and outlive the outcome.
SearchOutcome search(mlir::ModuleOp module, ConstrainedProgram constrained,
                     const abi::Cluster &cluster, const SearchOptions &options);

} // namespace pcc::strategy
