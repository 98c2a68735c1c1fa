// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves the problem of one section and transfers the choices to the same ops of all others, by
// name and number. The chosen counts are device matrices that refine the mesh. Improvement repeats
// the problem with the neighbors of the current counts as options.
#include "passes/strategy/memory_model/MemorySearch.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/solve/cuts/RecursiveCuts.h"
#include "passes/solve/strategy/primal/Improve.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include <chrono>

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// The chosen counts, by the name of an op and its number among ops of that name.
using Choices = llvm::StringMap<FactorCounts>;

std::string makeKey(StringRef name, unsigned number) {
  return analysis::makeExactName("", name, number);
}

/// Collects the choice of each node of a graph under a key that identifies the op in other
/// sections.
Choices listChoices(const MemoryGraph &graph, ArrayRef<FactorCounts> chosen) {
  llvm::DenseMap<Operation *, FactorCounts> counts;
  for (auto [node, nodeCounts] : llvm::zip_equal(graph.nodes, chosen))
    counts[node.op] = nodeCounts;
  Choices choices;
  analysis::forEachNumbered(graph.function, [&](Operation *op, StringRef name, unsigned number) {
    if (auto found = counts.find(op); found != counts.end())
      choices[makeKey(name, number)] = found->second;
  });
  return choices;
}

std::vector<FactorCounts> listCounts(const MemoryProblem &problem,
                                     const solve::StrategySolution &solution) {
  std::vector<FactorCounts> counts;
  for (auto [node, option] : llvm::enumerate(solution)) {
    ArrayRef<int64_t> chosen = problem.getOptions(node)[option];
    counts.emplace_back(chosen.begin(), chosen.end());
  }
  return counts;
}

std::vector<int64_t> countParts(const TensorFactors &dims, ArrayRef<int64_t> counts) {
  std::vector<int64_t> parts;
  for (const DimFactors &factors : dims) {
    int64_t &product = parts.emplace_back(1);
    for (unsigned factor : factors)
      product *= counts[factor];
  }
  return parts;
}

std::vector<MemoryChoice> describeChoices(const MemoryProblem &problem, const MemoryModel &model,
                                          const solve::StrategySolution &solution) {
  std::vector<MemoryChoice> choices;
  for (auto [index, node] : llvm::enumerate(problem.getGraph().nodes)) {
    ArrayRef<int64_t> counts = problem.getOptions(index)[solution[index]];
    MemoryChoice &choice = choices.emplace_back(MemoryChoice{node.op, {}, {}});
    for (const TensorFactors &dims : node.modelOp.rule.getOperands())
      choice.operands.push_back(countParts(dims, counts));
    for (const TensorFactors &dims : node.modelOp.rule.getResults())
      choice.results.push_back(countParts(dims, counts));
    choice.total = model.getTotal(problem.getCost(index, solution[index]));
  }
  return choices;
}

/// Calls `visit` for each forward op that has a choice, in all sections except the update.
void forEachChosen(ModuleOp module, const Choices &choices,
                   function_ref<void(Operation *op, const FactorCounts &counts)> visit) {
  for (analysis::Section &section : analysis::collectSections(module))
    if (graph::findArgs(section.function, graph::RoleKind::Gradient).empty())
      analysis::forEachNumbered(section.function,
                                [&](Operation *op, StringRef name, unsigned number) {
                                  auto found = choices.find(makeKey(name, number));
                                  if (found == choices.end() || !isForwardOp(op))
                                    return;
                                  auto rule = cast<FactorRuleOpInterface>(op).getFactorRule();
                                  if (rule.getFactors().size() == found->second.size())
                                    visit(op, found->second);
                                });
}

/// Rewrites given shardings in terms of the axes into which the original axes were cut.
class Translator {
public:
  explicit Translator(const llvm::StringMap<AxisList> &pieces) : pieces(pieces) {}

  void translate(SeedShardings &given) const {
    for (llvm::StringMap<Sharding> *map :
         {&given.parameters, &given.inputs, &given.gradients, &given.fed})
      for (auto &entry : *map)
        translate(entry.second);
    for (auto &[op, entry] : given.ops) {
      for (AxisList &axes : entry.factors)
        axes = cut(axes);
      for (Sharding &result : entry.results)
        translate(result);
    }
  }

private:
  AxisList cut(ArrayRef<std::string> axes) const {
    AxisList list;
    for (const std::string &axis : axes)
      list.append(pieces.lookup(axis));
    return list;
  }

  void translate(Sharding &sharding) const {
    std::vector<AxisList> dims;
    for (const AxisList &axes : sharding.getDims())
      dims.push_back(cut(axes));
    sharding =
        Sharding(dims).withPartial(cut(sharding.getPartialAxes()), sharding.getPartialKind());
  }

  const llvm::StringMap<AxisList> &pieces;
};

/// Adds the choices to the given shardings, on one mesh.
void addChoices(ModuleOp module, int64_t deviceNum, const Choices &choices,
                ConstrainedProgram &program) {
  std::vector<Operation *> ops;
  std::vector<DeviceMatrix> matrices;
  forEachChosen(module, choices, [&](Operation *op, const FactorCounts &counts) {
    if (program.given.ops.contains(op))
      return;
    ops.push_back(op);
    matrices.push_back(counts);
  });
  bool isFree = program.given.isEmpty() && !module->hasAttr(dist::meshAttrName);
  MeshRefinement refined =
      isFree ? refineMesh(deviceNum, matrices) : refineMesh(program.mesh, matrices);
  if (!isFree)
    Translator(refined.pieces).translate(program.given);
  program.mesh = refined.mesh;
  for (auto [op, factors] : llvm::zip_equal(ops, refined.matrices)) {
    GivenOp &entry = program.given.ops[op];
    entry.factors = factors;
    entry.why = analysis::Reasons::makeWhole(module.getContext(),
                                             "chosen by the search under the cost model memory");
  }
}

/// Returns the number of parts in which `input` is fed: as given, or one part of the batch per
/// rank, or 1 for a full batch or an indivisible one.
int64_t countFed(BlockArgument input, int64_t deviceNum, const ConstrainedProgram &program) {
  auto function = cast<func::FuncOp>(input.getOwner()->getParentOp());
  StringRef name = graph::getName(graph::getArgRole(function, input.getArgNumber()));
  for (const llvm::StringMap<Sharding> *map : {&program.given.fed, &program.given.inputs})
    if (auto found = map->find(name); found != map->end())
      return found->second.getShardCount(0, program.mesh);
  int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(0);
  return program.given.fullBatch || size % deviceNum ? 1 : deviceNum;
}

MemorySpace makeSpace(int64_t deviceNum, const ConstrainedProgram &program) {
  MemorySpace space;
  space.devices = deviceNum;
  space.countFed = [=, &program](BlockArgument input) {
    return countFed(input, deviceNum, program);
  };
  space.findGiven = [&program](Operation *op) {
    auto found = program.given.ops.find(op);
    return found == program.given.ops.end() ? FactorCounts()
                                            : countFactors(found->second, program.mesh);
  };
  return space;
}

} // namespace

FactorCounts countFactors(const GivenOp &given, const dist::Mesh &mesh) {
  FactorCounts counts;
  for (const AxisList &axes : given.factors)
    counts.push_back(mesh.getSize(axes));
  return counts;
}

bool isNeighbor(ArrayRef<int64_t> counts, ArrayRef<int64_t> other) {
  int64_t gained = 1, lost = 1;
  unsigned changed = 0;
  for (auto [before, after] : llvm::zip_equal(counts, other)) {
    if (before == after)
      continue;
    ++changed;
    if (after % before == 0)
      gained *= after / before;
    else if (before % after == 0)
      lost *= before / after;
    else
      return false;
  }
  auto isPrime = [](int64_t number) {
    for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
      if (number % divisor == 0)
        return false;
    return true;
  };
  return changed <= 2 && isPrime(gained) && isPrime(lost) &&
         (gained == 1 || lost == 1 || gained == lost);
}

MemoryOutcome searchByMemory(ModuleOp module, int64_t deviceNum, ConstrainedProgram constrained,
                             const MemorySearchOptions &options) {
  auto start = std::chrono::steady_clock::now();
  MemorySpace space = makeSpace(deviceNum, constrained);
  space.use = options.use;
  space.elementwiseFollows = options.elementwiseFollows;
  MemoryProblem problem(MemoryGraph(module), std::move(space), options.model);
  MemoryOutcome outcome;
  outcome.result = solveBy(options.algorithm, problem.getProblem(), options.solve);
  if (outcome.isFeasible()) {
    outcome.cost = problem.getCost(outcome.result.solution);
    outcome.total = options.model.getTotal(outcome.cost);
    outcome.choices = describeChoices(problem, options.model, outcome.result.solution);
    // Costs that no choice influences are not part of the problem.
    double above = static_cast<double>(outcome.result.cost - outcome.result.bound);
    outcome.bound = outcome.total - above / problem.getScale();
    addChoices(module, deviceNum,
               listChoices(problem.getGraph(), listCounts(problem, outcome.result.solution)),
               constrained);
  }
  outcome.program = std::move(constrained);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

void explain(ModuleOp module, const MemoryOutcome &outcome) {
  remark::passed(module.getLoc(), remark::RemarkOpts::name("search").category("strategy"))
      << remark::metric("mesh", outcome.program.mesh.str())
      << remark::metric("computation", outcome.cost.computation)
      << remark::metric("activations", outcome.cost.activations)
      << remark::metric("parameters", outcome.cost.parameters)
      << remark::metric("total", outcome.total);
}

/// Improves `counts`; returns the total cost and the new counts.
static std::pair<double, std::vector<FactorCounts>> improveFrom(std::vector<FactorCounts> counts,
                                                                const MemoryGraph &graph,
                                                                MemorySpace space,
                                                                const MemoryModel &model) {
  llvm::DenseMap<Operation *, unsigned> indices;
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    indices[node.op] = index;
  space.allows = [&](Operation *op, ArrayRef<int64_t> other) {
    return isNeighbor(counts[indices.lookup(op)], other);
  };
  double total = 0;
  size_t rounds = solve::listPrimes(space.devices).size() + 2;
  for (size_t round = 0; round < rounds; ++round) {
    MemoryProblem problem(graph, space, model);
    solve::StrategySolution initial;
    for (unsigned index = 0; index < counts.size(); ++index)
      initial.push_back(problem.findOption(index, counts[index]).value_or(0));
    solve::StrategySolution found = solve::improve(problem.getProblem(), initial);
    counts = listCounts(problem, found);
    total = problem.getTotal(found);
    if (found == initial)
      break;
  }
  return {total, std::move(counts)};
}

std::vector<FactorCounts> improveCounts(const MemoryGraph &graph, const MemorySpace &space,
                                        const MemoryModel &model,
                                        std::vector<FactorCounts> counts) {
  std::vector<FactorCounts> none;
  for (const FactorCounts &each : counts)
    none.emplace_back(each.size(), 1);
  auto fromCuts = improveFrom(std::move(counts), graph, space, model);
  auto fromNone = improveFrom(std::move(none), graph, space, model);
  return fromNone.first < fromCuts.first ? fromNone.second : fromCuts.second;
}

void improveByMemory(ModuleOp module, int64_t deviceNum, const MemoryModel &model,
                     function_ref<bool(Operation *op)> isFixed, ConstrainedProgram &program) {
  MemoryGraph graph(module);
  MemorySpace space = makeSpace(deviceNum, program);
  auto findCurrent = space.findGiven;
  space.findGiven = [&](Operation *op) { return isFixed(op) ? findCurrent(op) : FactorCounts(); };
  std::vector<FactorCounts> counts;
  for (const MemoryNode &node : graph.nodes)
    counts.push_back(findCurrent(node.op));
  Choices choices = listChoices(graph, improveCounts(graph, space, model, std::move(counts)));
  llvm::DenseMap<Operation *, GivenOp> fixed; // the other ops follow them
  for (auto &[op, given] : program.given.ops)
    if (isFixed(op))
      fixed[op] = std::move(given);
  program.given.ops = std::move(fixed);
  addChoices(module, deviceNum, choices, program);
}

} // namespace pcc::strategy
