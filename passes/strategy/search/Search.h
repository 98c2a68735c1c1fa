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
  ConstrainedProgram requested; ///< the constraints
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

/// Searches the problem of `outcome`, which has a solution, again by the anytime search, from that
/// solution on. Keeps the better solution and the better bound.
void searchAgain(SearchOutcome &outcome, const SearchOptions &options);

//===-- ConstraintCosts.cpp -----------------------------------------------------------------===//

/// Cost of a constraint in seconds of a step: the best plan with all constraints compared with the
/// best plan without this one, on the same mesh.
struct ConstraintCost {
  std::string text;      ///< the constraint, as in ConstraintTargets
  bool isKnown = false;  ///< false: the time limit left no time for it
  double seconds = 0;    ///< increase by the constraint, between the plans that were found
  double maxSeconds = 0; ///< upper limit of the increase: against the bound of plans without it
};

/// Returns the cost of each constraint, the most expensive first, unknown costs last. `outcome` has
/// a plan. `options` are the options of its search, except that `seconds` limits the time for all
/// constraints together.
std::vector<ConstraintCost> estimateConstraintCosts(const SearchOutcome &outcome,
                                                    const SearchOptions &options);

/// Explains why no plan fits: the values that need the memory and the constraints that conflict.
struct PlanConflict {
  bool needsConstraints = false; ///< whether a plan fits, or may fit, without constraints
  /// Indices of an irreducible set of conflicting constraints: without any one of them, the others
  /// do not conflict. If time runs out, untested constraints stay.
  std::vector<int> constraints;
};

/// Explains an `outcome` without a plan. `options` are the options of its search; `seconds` limits
/// the time of the explanation.
PlanConflict findPlanConflict(const SearchOutcome &outcome, const SearchOptions &options);

/// Returns, for example, `at "matmul3" at least 12 bytes are needed, expected at most 8; most by
/// parameter w (8 bytes)`. Describes the point where the sum of every node's minimum is largest. If
/// this sum fits, says that no combination of the ops' options does.
std::string describeShortage(const SearchProblem &problem);

} // namespace pcc::strategy
