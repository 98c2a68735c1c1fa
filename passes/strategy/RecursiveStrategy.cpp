// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/RecursiveStrategy.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/facts/Cost.h"
#include "passes/facts/LocalForm.h"
#include "passes/facts/OpNames.h"
#include "passes/facts/Sections.h"
#include "passes/solve/RecursiveCuts.h"
#include "passes/strategy/MeshRefinement.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;

namespace pcc::strategy {
namespace {

/// Whether the user's model has this op: not a leaf, and not derived from another one.
bool isForward(Operation *op) {
  return isa<FactorRuleOpInterface>(op) && op->getNumOperands() > 0 && !facts::getDerivedFrom(op);
}

/// Forward ops of a program as a problem of cuts.
class CutGraph {
public:
  CutGraph(ModuleOp module, const PinnedProgram &program) : program(program) {
    for (facts::Section section : facts::collectSections(module))
      if (graph::findArgs(section.function, graph::RoleKind::Gradient).empty())
        for (Operation &op : section.function.getBody().front())
          if (isForward(&op))
            add(&op);
    problem.numTensors = static_cast<int>(tensors.size());
  }

  const solve::CutProblem &getProblem() const { return problem; }
  ArrayRef<Operation *> getOps() const { return ops; }

private:
  void add(Operation *op) {
    FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
    solve::CutOp &cut = problem.ops.emplace_back();
    ops.push_back(op);
    for (auto [index, factor] : llvm::enumerate(rule.getFactors()))
      cut.factors.push_back({factor.size, facts::isSplittable(op, rule, index)});
    constexpr double half = 0.5, eighth = 0.125;
    for (auto [index, dims] : llvm::enumerate(rule.getOperands()))
      cut.uses.push_back(makeUse(op->getOperand(index), dims, index == 0 ? half : eighth));
    for (auto [index, dims] : llvm::enumerate(rule.getResults()))
      cut.uses.push_back(makeUse(op->getResult(index), dims, half));
    cut.weight = static_cast<double>(facts::costOf(op).flops);
    if (auto found = program.given.ops.find(op); found != program.given.ops.end())
      cut.given = listGiven(found->second.factors);
  }

  solve::CutUse makeUse(Value value, const TensorFactors &dims, double weight) {
    int tensor = tensors.try_emplace(value, static_cast<int>(tensors.size())).first->second;
    solve::CutUse use{tensor, {}, weight};
    for (const DimFactors &factors : dims)
      use.dims.emplace_back(factors.begin(), factors.end());
    return use;
  }

  /// By axis of the mesh, the factor that it cuts.
  std::vector<int> listGiven(ArrayRef<AxisList> factors) const {
    std::vector<int> given;
    for (const dist::MeshAxis &axis : program.mesh.getAxes()) {
      auto holds = [&](const AxisList &list) { return llvm::is_contained(list, axis.name); };
      const AxisList *found = llvm::find_if(factors, holds);
      given.push_back(found == factors.end() ? -1 : static_cast<int>(found - factors.begin()));
    }
    return given;
  }

  const PinnedProgram &program;
  solve::CutProblem problem;
  std::vector<Operation *> ops;
  llvm::DenseMap<Value, int> tensors;
};

/// Rounds alike, one after the other, become one.
std::vector<solve::CutRound> joinAlike(std::vector<solve::CutRound> rounds) {
  std::vector<solve::CutRound> joined;
  for (solve::CutRound &round : rounds)
    if (!joined.empty() && joined.back().factors == round.factors)
      joined.back().parts *= round.parts;
    else
      joined.push_back(std::move(round));
  return joined;
}

std::vector<int64_t> listSizes(const dist::Mesh &mesh) {
  std::vector<int64_t> sizes;
  for (const dist::MeshAxis &axis : mesh.getAxes())
    sizes.push_back(axis.size);
  return sizes;
}

} // namespace

void addRecursiveStrategy(ModuleOp module, int64_t deviceNum, PinnedProgram &program) {
  bool isFree = program.given.isEmpty() && !module->hasAttr(dist::meshAttrName);
  CutGraph graph(module, program);
  std::vector<int64_t> parts = isFree ? solve::listPrimes(deviceNum) : listSizes(program.mesh);
  std::vector<solve::CutRound> rounds = solve::cutRecursively(graph.getProblem(), parts);
  if (isFree) {
    rounds = joinAlike(std::move(rounds));
    DeviceMatrix matrix;
    for (const solve::CutRound &round : rounds)
      matrix.push_back(round.parts);
    program.mesh = refineMesh(deviceNum, {matrix}).mesh;
  }
  for (auto [index, op] : llvm::enumerate(graph.getOps())) {
    if (program.given.ops.contains(op))
      continue;
    std::vector<AxisList> &factors = program.given.ops[op].factors;
    factors.resize(graph.getProblem().ops[index].factors.size());
    for (auto [round, axis] : llvm::zip_equal(rounds, program.mesh.getAxes()))
      if (int factor = round.factors[index]; factor >= 0)
        factors[factor].push_back(axis.name);
  }
}

} // namespace pcc::strategy
