// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the problem again without the constraints of the node, and translates the plan to it. The
// cost of the best plan with each option is a min-marginal (MinMarginals.cpp). The objection is the
// use of the node whose cost rises most.
#include "passes/strategy/search/Search.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/solve/strategy/Solve.h"
#include "passes/strategy/propagate/OpSharding.h"
#include "passes/strategy/search/NodeNames.h"
#include "passes/strategy/search/SearchTranslate.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::strategy {

using pcc::dist::AxisList;

// Describes an option in words.
//
//   [dp, _], [_, tp] -> [dp, tp]                    dp splits i, tp splits j
//   [dp, tp], [tp, _] -> [dp, _] partial(sum: tp)   dp splits i, tp splits k, a sum
//   [_] partial(sum: tp), … -> [_] partial(sum: tp) tp carries sums through operands 0, 1
//   [dp, _]                                         of a tensor: dp cuts dimension 0

static std::string join(const std::vector<std::string> &parts, StringRef nothing) {
  return parts.empty() ? nothing.str() : llvm::join(parts, ", ");
}

/// Returns `tp carries sums through operands 0, 1`, or an empty string if no operand is carried. An
/// axis that splits a factor is not carried, even if an operand is partial over it.
static std::string describeCarried(const OpSharding &opSharding, const FactorAxes &factors) {
  AxisList axes;
  std::vector<std::string> operands;
  for (auto [index, sharding] : llvm::enumerate(opSharding.operands)) {
    bool isCarried = false;
    for (const std::string &axis : sharding.getPartialAxes()) {
      if (factors.uses(axis))
        continue;
      isCarried = true;
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
    }
    if (isCarried)
      operands.push_back(std::to_string(index));
  }
  if (axes.empty())
    return "";
  return llvm::join(axes, ".") + " carries sums through operand" +
         (operands.size() > 1 ? "s " : " ") + llvm::join(operands, ", ");
}

/// Describes how `op`, which has a factor rule, is split; the letters are those of its rule.
static std::string describeSplit(Operation *op, const OpSharding &opSharding,
                                 const dist::Mesh &mesh) {
  FactorAxes factors(op, mesh);
  for (auto [index, sharding] : llvm::enumerate(opSharding.operands))
    factors.takeOperand(index, sharding);
  for (auto [index, sharding] : llvm::enumerate(opSharding.results))
    factors.takeResult(index, sharding);
  auto isSummed = [&](const AxisList &axes) {
    return llvm::any_of(opSharding.results, [&](const Sharding &result) {
      return llvm::is_contained(result.getPartialAxes(), axes.front());
    });
  };
  std::vector<std::string> parts;
  for (auto [factor, axes] : llvm::zip_equal(factors.getRule().getFactors(), factors.getAxes()))
    if (!axes.empty())
      parts.push_back(llvm::join(axes, ".") + " splits " + factor.name +
                      (isSummed(axes) ? ", a " + stringify(factor.reduce).str() : ""));
  if (std::string carried = describeCarried(opSharding, factors); !carried.empty())
    parts.push_back(std::move(carried));
  return join(parts, "every rank does all of it");
}

/// Describes the sharding of a tensor.
static std::string describeCut(const Sharding &sharding) {
  std::vector<std::string> parts;
  for (auto [dim, axes] : llvm::enumerate(sharding.getDims()))
    if (!axes.empty())
      parts.push_back(llvm::join(axes, ".") + " cuts dimension " + std::to_string(dim));
  if (sharding.isPartial())
    parts.push_back("partial sums over " + llvm::join(sharding.getPartialAxes(), "."));
  return join(parts, "every rank holds all of it");
}

namespace {

/// Returns the shardings that the user's constraints give to other nodes.
SeedShardings freeNode(const SearchOutcome &outcome, const SearchNode &node) {
  std::vector<int> users;
  for (auto [index, constraint] : llvm::enumerate(outcome.requested.constraints))
    if (!constraint.isRestored)
      users.push_back(static_cast<int>(index));
  SeedShardings given = keepConstraints(outcome.requested, users);
  if (node.kind == SearchNode::Kind::Op)
    given.ops.erase(node.op);
  if (node.kind == SearchNode::Kind::Boundary) {
    given.parameters.erase(graph::getName(node.role));
    given.inputs.erase(graph::getName(node.role));
  }
  return given;
}

/// Returns the node of `problem` that corresponds to `node`.
unsigned findSame(const SearchProblem &problem, const SearchNode &node) {
  const std::vector<SearchNode> &nodes = problem.getGraph().nodes;
  auto found = llvm::find_if(nodes, [&](const SearchNode &other) {
    return other.kind == node.kind && other.op == node.op && other.role == node.role;
  });
  return found - nodes.begin();
}

/// Describes options relative to the plan, in a problem with more options.
class Explainer {
public:
  Explainer(SearchProblem &problem, unsigned node, solve::StrategySolution plan)
      : problem(problem), node(node), plan(std::move(plan)) {}

  PlanAlternative describe(int32_t option, solve::SolveResult best) {
    const SearchNode &searched = problem.getGraph().nodes[node];
    PlanAlternative alternative;
    alternative.opSharding = problem.getOptions(node).opShardings[option];
    alternative.description =
        searched.op ? describeSplit(searched.op, alternative.opSharding, problem.getMesh())
                    : describeCut(alternative.opSharding.results.front());
    alternative.isChosen = option == plan[node];
    alternative.seconds = toSeconds(problem.getProblem().nodes[node].costs[option]);
    alternative.bytes = problem.getOptions(node).bytes[option];
    alternative.collectives = problem.listCollectives(node, option);
    alternative.best = std::move(best);
    if (!alternative.isChosen)
      alternative.objection = findObjection(option);
    return alternative;
  }

private:
  std::optional<Objection> findObjection(int32_t option) {
    const SearchEdge *strongest = nullptr;
    int64_t rise = 0;
    for (const SearchEdge &edge : problem.getGraph().edges) {
      if (edge.from != node && edge.to != node)
        continue;
      int64_t more = getCost(edge, option) - getCost(edge, plan[node]);
      if (more > rise) {
        strongest = &edge;
        rise = more;
      }
    }
    return strongest ? std::optional(describe(*strongest, option)) : std::nullopt;
  }

  /// Returns the cost of a use if the node has `option` and all other nodes are as in the plan.
  int64_t getCost(const SearchEdge &edge, int32_t option) {
    return problem.getCost(edge, edge.from == node ? option : plan[edge.from],
                           edge.to == node ? option : plan[edge.to]);
  }

  Objection describe(const SearchEdge &edge, int32_t option) {
    int32_t from = edge.from == node ? option : plan[edge.from];
    int32_t to = edge.to == node ? option : plan[edge.to];
    Objection objection;
    objection.from = describeEnd(edge.from, "result", edge.result);
    objection.to = describeEnd(edge.to, "operand", edge.operand);
    objection.made = problem.getOptions(edge.from).opShardings[from].results[edge.result];
    objection.wanted = problem.getOptions(edge.to).opShardings[to].operands[edge.operand];
    objection.steps = problem.planUse(edge, from, to).str();
    objection.before = toSeconds(getCost(edge, plan[node]));
    objection.after = toSeconds(getCost(edge, option));
    return objection;
  }

  /// Returns `operand 1` for the op itself, and `'relu' operand 0` for a neighbor. Nodes that are
  /// no ops have one value and need no number.
  std::string describeEnd(unsigned end, StringRef side, unsigned number) const {
    std::string text = (side + " " + Twine(number)).str();
    if (end == node)
      return problem.getGraph().nodes[end].op ? text : "it";
    std::string name = problem.getProblem().describe(static_cast<int>(end));
    return problem.getGraph().nodes[end].op ? name + " " + text : name;
  }

  SearchProblem &problem;
  unsigned node;
  solve::StrategySolution plan;
};

/// Orders the plan's own option first and options without a plan last.
bool isBefore(const PlanAlternative &lhs, const PlanAlternative &rhs) {
  if (lhs.isChosen != rhs.isChosen)
    return lhs.isChosen;
  if (lhs.best.hasSolution() != rhs.best.hasSolution())
    return lhs.best.hasSolution();
  return lhs.best.cost < rhs.best.cost;
}

} // namespace

abi::Expected<OpExplanation> explainNode(const SearchOutcome &outcome, unsigned node,
                                         const SearchOptions &options) {
  const SearchNode &asked = outcome.problem->getGraph().nodes[node];
  SearchProblem problem = outcome.problem->remake(freeNode(outcome, asked));
  const solve::StrategyProblem &free = problem.getProblem();
  std::optional<solve::StrategySolution> plan =
      translate(*outcome.problem, outcome.result.solution, problem);
  if (!plan)
    plan = solveBy(options.algorithm, free, options.solve).solution;
  std::string name = nameNodes(outcome.problem->getGraph())[node];
  if (plan->empty())
    return abi::Status::failed("expected a plan without the constraints of '" + name +
                               "', got none in time; allow more by '--time-limit'");
  unsigned place = findSame(problem, asked);

  OpExplanation explanation;
  explanation.name = std::move(name);
  explanation.runs = asked.runs;
  explanation.mesh = problem.getMesh();
  explanation.cost = outcome.result.cost;
  explanation.bound = outcome.result.bound;
  if (asked.op) {
    explanation.section = asked.op->getParentOfType<func::FuncOp>().getSymName();
    explanation.rule = cast<FactorRuleOpInterface>(asked.op).getFactorRule().str();
  }
  Explainer explainer(problem, place, *plan);
  std::vector<solve::SolveResult> results =
      solve::solveForEachOption(free, static_cast<int>(place), *plan, options.solve);
  for (auto [option, result] : llvm::enumerate(results))
    explanation.options.push_back(
        explainer.describe(static_cast<int32_t>(option), std::move(result)));
  llvm::stable_sort(explanation.options, isBefore);
  return explanation;
}

} // namespace pcc::strategy
