// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over the axes, from those of the closest devices outward. For each axis there are two
// starts: the plan, and the plan without the axis; the cheaper result is kept. Last, if the tables
// are small enough, the plan is improved among all options.
#include "passes/strategy/search/Search.h"

#include "passes/analysis/Sections.h"
#include "passes/analysis/reshard/ReshardPlan.h"
#include "passes/analysis/reshard/ReshardTable.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/solve/strategy/primal/Improve.h"
#include "passes/strategy/propagate/OpSharding.h"
#include "passes/strategy/search/SearchGraph.h"
#include "runtime/machine/MemoryBudget.h"
#include "llvm/ADT/DenseMap.h"
#include <chrono>
#include <cmath>
#include <memory>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {

using pcc::dist::Sharding;

// The plan of an annotated program, by node of its search graph.
//
//   node       its option
//   op         `dist.in` and `dist.out`
//   boundary   the sharding on the functions that pass the value
//   shared     the sharding that most users want; on a tie, the sharding in which it is produced

namespace {

class AnnotatedPlan {
public:
  /// Reads a program whose ops and functions' arguments and results are annotated on `mesh`.
  AnnotatedPlan(mlir::ModuleOp module, const dist::Mesh &mesh);

  /// Returns the option of `node`. Nodes with equal annotations share one object.
  std::shared_ptr<const OpSharding> findOpSharding(const SearchNode &node);

private:
  using SharedOpSharding = std::shared_ptr<const OpSharding>;

  SharedOpSharding findShardingOfOp(mlir::Operation *op);
  SharedOpSharding findShardingOfTensor(dist::Sharding sharding);
  dist::Sharding findMostWanted(mlir::Value value) const;

  const dist::Mesh &mesh;
  llvm::DenseMap<mlir::Attribute, dist::Sharding> boundaries; ///< by role
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, SharedOpSharding>
      shardingsByAttributes;
  std::vector<SharedOpSharding> tensorShardings; ///< all distinct options of tensors; there are few
};

} // namespace

AnnotatedPlan::AnnotatedPlan(ModuleOp module, const dist::Mesh &mesh) : mesh(mesh) {
  for (analysis::Section &section : analysis::collectSections(module)) {
    func::FuncOp function = section.function;
    for (BlockArgument argument : function.getArguments())
      if (graph::RoleAttr role = section.getArgumentRole(argument.getArgNumber()))
        boundaries.try_emplace(role, analysis::getSharding(argument));
    for (unsigned result = 0; result < function.getNumResults(); ++result)
      if (graph::RoleAttr role = section.getResultRole(result))
        boundaries.try_emplace(role, analysis::getResultSharding(function, result));
  }
}

AnnotatedPlan::SharedOpSharding AnnotatedPlan::findOpSharding(const SearchNode &node) {
  switch (node.kind) {
  case SearchNode::Kind::Op:
    return findShardingOfOp(node.op);
  case SearchNode::Kind::Boundary:
    return findShardingOfTensor(boundaries.lookup(node.role));
  case SearchNode::Kind::Shared:
    return findShardingOfTensor(findMostWanted(node.value));
  }
  llvm_unreachable("every kind is listed");
}

AnnotatedPlan::SharedOpSharding AnnotatedPlan::findShardingOfOp(Operation *op) {
  SharedOpSharding &opSharding =
      shardingsByAttributes[{op->getAttr(dist::inAttrName), op->getAttr(dist::outAttrName)}];
  if (opSharding)
    return opSharding;
  OpSharding sharding;
  for (OpOperand &operand : op->getOpOperands())
    sharding.operands.push_back(analysis::dropTrivialAxes(
        analysis::getOperandSharding(op, operand.getOperandNumber()), mesh));
  for (Value result : op->getResults())
    sharding.results.push_back(analysis::dropTrivialAxes(analysis::getSharding(result), mesh));
  return opSharding = std::make_shared<OpSharding>(std::move(sharding));
}

AnnotatedPlan::SharedOpSharding AnnotatedPlan::findShardingOfTensor(Sharding sharding) {
  sharding = analysis::dropTrivialAxes(sharding, mesh);
  for (const SharedOpSharding &opSharding : tensorShardings)
    if (opSharding->results.front() == sharding)
      return opSharding;
  return tensorShardings.emplace_back(
      std::make_shared<OpSharding>(OpSharding{{sharding}, {sharding}}));
}

Sharding AnnotatedPlan::findMostWanted(Value value) const {
  SmallVector<std::pair<Sharding, unsigned>, 4> wanted = {{analysis::getSharding(value), 0}};
  for (OpOperand &use : value.getUses()) {
    if (!use.getOwner()->hasAttr(dist::inAttrName))
      continue;
    Sharding sharding = analysis::getOperandSharding(use.getOwner(), use.getOperandNumber());
    auto found = llvm::find_if(wanted, [&](const auto &entry) { return entry.first == sharding; });
    if (found == wanted.end())
      wanted.push_back({std::move(sharding), 1});
    else
      ++found->second;
  }
  auto isLess = [](const auto &lhs, const auto &rhs) { return lhs.second < rhs.second; };
  return std::max_element(wanted.begin(), wanted.end(), isLess)->first;
}

namespace {

/// Maximum number of sweeps over all axes. Sweeps end when one changes nothing.
constexpr int maxSweeps = 8;

/// All options of all nodes are considered if their tables have at most `maxTableEntries` entries.
/// A node is estimated to have `optionsPerAxis` options per axis, to the power of the number of
/// axes.
constexpr double maxTableEntries = 2e7, optionsPerAxis = 5;
constexpr int roundsOfAll = 64;

class Improver {
public:
  Improver(ModuleOp module, const dist::Mesh &mesh, const SeedShardings &fixed,
           const abi::Cluster &cluster, int64_t memoryLimit)
      : module(module), fixed(fixed), memoryLimit(memoryLimit), annotated(module, mesh),
        costModel(std::make_shared<RooflineCostModel>(module.getContext(), mesh, cluster)) {}

  /// Tries the other roles of `axis`; returns whether the plan changed.
  bool improveAxis(StringRef axis) {
    auto findOpSharding = [&](unsigned index, const SearchNode &node) {
      return opShardings.empty() ? annotated.findOpSharding(node) : opShardings[index];
    };
    problem = std::make_shared<SearchProblem>(module, fixed, memoryLimit, costModel,
                                              NearPlan{findOpSharding, axis});
    solve::StrategySolution planned(problem->getProblem().nodes.size(), 0);
    if (opShardings.empty())
      costBefore = solve::verify(problem->getProblem(), planned).cost;
    solution = solve::improve(problem->getProblem(), planned);
    takeIfCheaper(improveWithout(axis));
    std::vector<std::shared_ptr<const OpSharding>> chosen;
    for (auto [node, option] : llvm::enumerate(solution))
      chosen.push_back(option == 0 && !opShardings.empty() ? opShardings[node]
                                                           : problem->getOption(node, option));
    opShardings = std::move(chosen);
    return solution != planned;
  }

  /// Continues with all options of all nodes, if there are few enough; call after a turn.
  void widen() {
    const dist::Mesh &mesh = costModel->getMesh();
    double edges = static_cast<double>(problem->getProblem().edges.size());
    size_t numAxes = analysis::dropTrivialAxes(mesh).getAxes().size();
    if (numAxes > analysis::maxTableAxes ||
        edges * std::pow(optionsPerAxis, 2.0 * double(numAxes)) > maxTableEntries)
      return;
    auto all = std::make_shared<SearchProblem>(module, mesh, costModel->getCluster(), fixed,
                                               problem->getProblem().usageLimit);
    solve::StrategySolution planned;
    for (unsigned node = 0; node < opShardings.size(); ++node)
      planned.push_back(findClosest(*opShardings[node], all->getOptions(node).opShardings));
    auto better = solve::improve(all->getProblem(), std::move(planned), roundsOfAll);
    solve::Verdict verdict = solve::verify(all->getProblem(), better);
    if (!verdict.ok() || verdict.cost >= solve::verify(problem->getProblem(), solution).cost)
      return;
    problem = std::move(all);
    solution = std::move(better);
  }

  std::shared_ptr<const SearchProblem> getProblem() const { return problem; }
  const solve::StrategySolution &getSolution() const { return solution; }
  /// Returns the cost of the plan before the first turn.
  solve::Int128 getCostBefore() const { return costBefore; }

private:
  /// Improves the plan in which no node uses `axis`; returns nothing if that plan does not fit.
  /// This finds plans that no single node can reach, because all nodes use the axis alike.
  solve::StrategySolution improveWithout(StringRef axis) const {
    solve::StrategySolution without;
    for (unsigned node = 0; node < problem->getProblem().nodes.size(); ++node) {
      const std::vector<OpSharding> &listed = problem->getOptions(node).opShardings;
      auto found = llvm::find_if(listed, [&](const OpSharding &opSharding) {
        auto uses = [&](const dist::Sharding &sharding) { return sharding.uses(axis); };
        return llvm::none_of(opSharding.operands, uses) && llvm::none_of(opSharding.results, uses);
      });
      without.push_back(found == listed.end() ? 0 : static_cast<int32_t>(found - listed.begin()));
    }
    if (!solve::verify(problem->getProblem(), without).ok())
      return {};
    return solve::improve(problem->getProblem(), std::move(without));
  }

  void takeIfCheaper(solve::StrategySolution other) {
    const solve::StrategyProblem &costs = problem->getProblem();
    if (!other.empty() && solve::verify(costs, other).cost < solve::verify(costs, solution).cost)
      solution = std::move(other);
  }

  /// Returns the option closest to `opSharding`. A plan may have options that the search does not
  /// list: axes of a factor in another order, or sums carried beside complete values.
  static int32_t findClosest(const OpSharding &opSharding, ArrayRef<OpSharding> opShardings) {
    auto index = [&](auto isClose) {
      const auto *found = llvm::find_if(opShardings, isClose);
      return found == opShardings.end() ? -1 : static_cast<int32_t>(found - opShardings.begin());
    };
    int32_t equal = index([&](const OpSharding &other) { return other == opSharding; });
    if (equal < 0)
      equal = index([&](const OpSharding &other) { return other.results == opSharding.results; });
    return std::max(equal, 0);
  }

  ModuleOp module;
  const SeedShardings &fixed;
  int64_t memoryLimit;
  AnnotatedPlan annotated;
  std::shared_ptr<RooflineCostModel> costModel;
  std::vector<std::shared_ptr<const OpSharding>>
      opShardings;                              ///< by node; empty before the first turn
  std::shared_ptr<const SearchProblem> problem; ///< of the last turn; `solution` solves it
  solve::StrategySolution solution;
  solve::Int128 costBefore = 0;
};

} // namespace

SearchOutcome improveSearch(ModuleOp module, const dist::Mesh &mesh, SeedShardings fixed,
                            const abi::Cluster &cluster, const SearchOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Improver improver(module, mesh, fixed, cluster,
                    machine::memoryBudget(options.memoryLimit, cluster));
  SmallVector<StringRef> axes = {""}; // one rank: there is nothing to improve
  if (mesh.getNumRanks() > 1)
    axes = llvm::map_to_vector(mesh.getAxes(),
                               [](const dist::MeshAxis &axis) -> StringRef { return axis.name; });
  std::reverse(axes.begin(), axes.end()); // close devices first
  bool changes = true;
  for (int sweep = 0; sweep < maxSweeps && changes; ++sweep) {
    changes = false;
    for (StringRef axis : axes)
      changes |= improver.improveAxis(axis);
  }
  improver.widen();
  SearchOutcome outcome;
  outcome.problem = improver.getProblem();
  outcome.result.solution = improver.getSolution();
  outcome.result.status = solve::SolveStatus::Feasible;
  outcome.result.cost = solve::verify(outcome.problem->getProblem(), outcome.result.solution).cost;
  outcome.costBefore = improver.getCostBefore();
  outcome.requested.mesh = outcome.program.mesh = mesh;
  outcome.requested.given = fixed;
  outcome.problem->apply(outcome.result.solution, fixed);
  outcome.program.given = std::move(fixed);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

} // namespace pcc::strategy
