// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/Search.h"

#include <chrono>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

/// The exact algorithm first; where its tables would be too large, the one with a bound.
static solve::SolveResult solveBy(SearchAlgorithm algorithm, const solve::StrategyProblem &problem,
                                  const solve::SolveOptions &options) {
  if (algorithm == SearchAlgorithm::DynamicProgramming)
    if (solve::SolveResult result = solve::solveByDynamicProgramming(problem, options);
        result.status != solve::SolveStatus::Unknown)
      return result;
  return solve::solveBest(problem, options);
}

SearchOutcome search(ModuleOp module, PinnedProgram pinned, const abi::Cluster &cluster,
                     const SearchOptions &options) {
  auto start = std::chrono::steady_clock::now();
  int64_t memory =
      options.memoryLimit.value_or(static_cast<int64_t>(cluster.device().memory_bytes().value()));
  SearchOutcome outcome;
  outcome.problem =
      std::make_shared<SearchProblem>(module, pinned.mesh, cluster, pinned.given, memory);
  const solve::StrategyProblem &problem = outcome.problem->getProblem();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.result = solveBy(options.algorithm, problem, options.solve);
  if (outcome.isFeasible())
    outcome.problem->apply(outcome.result.solution, pinned.given);
  outcome.program = std::move(pinned);
  return outcome;
}

} // namespace pcc::strategy
