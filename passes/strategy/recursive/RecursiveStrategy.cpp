// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/recursive/RecursiveStrategy.h"

#include "passes/strategy/constraints/MeshRefinement.h"
#include "passes/strategy/recursive/CutGraph.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;

namespace pcc::strategy {
namespace {

/// Merges consecutive equal rounds.
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

void addRecursiveStrategy(ModuleOp module, int64_t deviceNum, ConstrainedProgram &program) {
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
    const solve::CutProblem &problem = graph.getProblem();
    factors.resize(problem.rules[problem.ops[index].rule].factors.size());
    for (auto [round, axis] : llvm::zip_equal(rounds, program.mesh.getAxes()))
      if (int factor = round.factors[index]; factor >= 0)
        factors[factor].push_back(axis.name);
  }
}

} // namespace pcc::strategy
