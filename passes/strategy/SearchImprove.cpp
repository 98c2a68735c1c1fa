// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/SearchImprove.h"

#include "passes/solve/Improve.h"
#include "passes/strategy/SearchTranslate.h"

using namespace mlir;

namespace pcc::strategy {

SearchOutcome improveSearch(ModuleOp module, PinnedProgram program, GivenShardings fixed,
                            const abi::Cluster &cluster, const SearchOptions &options) {
  SearchOutcome outcome = search(module, std::move(program), cluster, options);
  if (!outcome.isFeasible()) // a plan leaves few choices: elimination is quick
    outcome.result = solve::solveByDynamicProgramming(outcome.problem->getProblem(), options.solve);
  if (!outcome.isFeasible())
    return outcome;
  int64_t memory = outcome.problem->getProblem().usageLimit;
  auto free = std::make_shared<SearchProblem>(module, outcome.program.mesh, cluster, fixed, memory);
  std::optional<solve::StrategySolution> initial =
      translate(*outcome.problem, outcome.result.solution, *free);
  if (!initial)
    return outcome;
  constexpr int rounds = 16;
  outcome.result.solution = solve::improve(free->getProblem(), std::move(*initial), rounds);
  outcome.result.cost = solve::verify(free->getProblem(), outcome.result.solution).cost;
  outcome.result.status = solve::SolveStatus::Feasible;
  outcome.result.bound = 0; // that of the plan does not hold for others
  outcome.result.certificate = nullptr;
  free->apply(outcome.result.solution, fixed);
  outcome.program.given = std::move(fixed);
  outcome.problem = std::move(free);
  return outcome;
}

} // namespace pcc::strategy
