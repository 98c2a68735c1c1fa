// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the problem, solves it and applies the solution. With a permitted gap, the anytime search
// replaces dynamic programming, which would not use the gap.
#include "passes/strategy/search/Search.h"

#include "passes/solve/strategy/problem/Work.h"
#include "runtime/machine/MemoryBudget.h"
#include <chrono>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

solve::SolveResult solveBy(SearchAlgorithm algorithm, const solve::StrategyProblem &problem,
                           const solve::SolveOptions &options) {
  // A positive gap permits a plan that is not optimal.
  return algorithm == SearchAlgorithm::DynamicProgramming && options.gap == 0
             ? solve::solveByDynamicProgramming(problem, options)
             : solve::solveBest(problem, options);
}

/// Reports the seconds of work of building a problem.
static void countBuilding(const solve::StrategyProblem &problem, const SearchOptions &options) {
  if (options.countWork)
    options.countWork(solve::secondsOfWork(solve::workToBuild(problem)), /*isCutOff=*/false);
}

/// Reports the seconds of work of solving a problem.
static void countSolving(const solve::SolveStatistics &statistics, const SearchOptions &options) {
  if (options.countWork)
    options.countWork(solve::secondsOfWork(statistics.work), statistics.isCutOff);
}

SearchOutcome search(ModuleOp module, ConstrainedProgram constrained, const abi::Cluster &cluster,
                     const SearchOptions &options) {
  auto start = std::chrono::steady_clock::now();
  SearchOutcome outcome;
  outcome.requested = constrained;
  outcome.problem =
      std::make_shared<SearchProblem>(module, constrained.mesh, cluster, constrained.given,
                                      machine::memoryBudget(options.memoryLimit, cluster));
  const solve::StrategyProblem &problem = outcome.problem->getProblem();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  countBuilding(problem, options);
  outcome.result = solveBy(options.algorithm, problem, options.solve);
  countSolving(outcome.result.statistics, options);
  if (outcome.isFeasible())
    outcome.problem->apply(outcome.result.solution, constrained.given);
  outcome.program = std::move(constrained);
  return outcome;
}

void searchAgain(SearchOutcome &outcome, const SearchOptions &options) {
  solve::SolveOptions from = options.solve;
  from.initial = outcome.result.solution;
  solve::SolveResult found = solve::solveBest(outcome.problem->getProblem(), from);
  countSolving(found.statistics, options);
  solve::SolveResult &known = outcome.result;
  found.statistics.seconds += known.statistics.seconds;
  found.statistics.work += known.statistics.work;
  found.statistics.isCutOff |= known.statistics.isCutOff;
  if (known.bound > found.bound) {
    found.bound = known.bound;
    found.certificate = known.certificate;
  }
  if (found.bound >= found.cost)
    found.status = solve::SolveStatus::Optimal;
  known = std::move(found);
  outcome.program = outcome.requested;
  outcome.problem->apply(outcome.result.solution, outcome.program.given);
}

} // namespace pcc::strategy
