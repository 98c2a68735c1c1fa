// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the shardings of a program on one mesh: builds the problem, solves it, and converts the
// solution to shardings.
#pragma once

#include "passes/solve/strategy/Solve.h"
#include "passes/strategy/SearchAlgorithm.h"
#include "passes/strategy/constraints/ConstrainedProgram.h"
#include "passes/strategy/search/SearchProblem.h"
#include "runtime/abi/Status.h"

namespace pcc::strategy {

struct SearchOptions {
  SearchAlgorithm algorithm = SearchAlgorithm::DynamicProgramming;
  /// Bytes of one device; 0: the memory of the machine's device.
  int64_t memoryLimit = 0;
  solve::SolveOptions solve = {};
  /// Called with the work of parts of the search, as in CompileOptions; may be null.
  std::function<void(double seconds, bool isCutOff)> countWork = {};
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

//===-- SearchImprove.cpp ---------------------------------------------------------------------===//

// Reduces the cost of a plan that was made without a cost model (recursive cuts), under the cost
// model `roofline` and on the plan's own mesh. Axis by axis, every op, boundary and shared value
// tries the other roles that the axis could have, all nodes jointly
// (passes/solve/strategy/primal/Improve.h).
//
//   axis   an op of factors i, j, k      a value, now [x.y, _] partial(sum: z)
//   x      i, or j, k, nothing           [y, _] and [y, x] …: the dimension that x cuts, or none
//   y      k, or i, j, nothing
//
// A node thus has few options, and the time is linear in the nodes and the axes, as long as tables
// hold the costs of all reshards (ReshardTable.h). On small programs and meshes of few axes, all
// options of all nodes are considered in the end.

/// Improves the plan with which the program is annotated (ShardingAnnotator.h) on `mesh`; the
/// shardings in `fixed` stay. The result is never more expensive. The outcome holds `fixed` and the
/// improved plan, but no bound.
SearchOutcome improveSearch(mlir::ModuleOp module, const dist::Mesh &mesh, SeedShardings fixed,
                            const abi::Cluster &cluster, const SearchOptions &options);

//===-- PlanAlternatives.cpp ------------------------------------------------------------------===//

// Explains the split of an op in a plan. Lists each of its options, the cost of the best plan with
// the option, and the neighbor that opposes it most.
//
//   option            own     plan    against it
//   dp splits i       10 us   1.20 ms                                        chosen
//   dp splits j        8 us   1.24 ms result 0 [_, dp] -> 'relu' [dp, _]: all_to_all
//
// "Against it" is the use whose reshard cost would rise most if only this op changed.

/// A use between the op and a neighbor, where the neighbor has its option in the plan.
struct Objection {
  std::string from, to;         ///< for example `result 0`, `'relu' operand 0`
  dist::Sharding made, wanted;  ///< shardings of the value
  std::string steps;            ///< steps of the reshard: `all_gather(dp: 0)`
  double before = 0, after = 0; ///< seconds of a step with the plan's option, and with this option
};

/// One option of the op; times are seconds of a step.
struct PlanAlternative {
  OpSharding opSharding;
  std::string description; ///< description of the option
  bool isChosen = false;
  double seconds = 0;                     ///< time of the op itself, with its own collectives
  int64_t bytes = 0;                      ///< bytes of its results on one rank
  std::vector<OwnCollective> collectives; ///< collectives of one run
  solve::SolveResult best;                ///< best plan with the option
  std::optional<Objection> objection;
};

struct OpExplanation {
  std::string name, section, rule; ///< the rule is empty if the node is no op
  int64_t runs = 1;                ///< runs per step
  dist::Mesh mesh;
  solve::Int128 cost = 0, bound = 0;    ///< cost and bound of the searched plan
  std::vector<PlanAlternative> options; ///< the plan's option first, then by plan cost
};

/// Explains the node `node` (NodeNames.h) of an `outcome` that has a plan. Constraints hold, except
/// those of this node. If the plan is a loaded strategy, only the user's constraints hold.
/// `options` are the options of the search; their `seconds` limit the time for all options
/// together. Error: Failed if no plan without the node's constraints is found in that time.
abi::Expected<OpExplanation> explainNode(const SearchOutcome &outcome, unsigned node,
                                         const SearchOptions &options);

} // namespace pcc::strategy
