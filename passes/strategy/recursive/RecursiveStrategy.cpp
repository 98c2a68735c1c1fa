// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a program to a cut problem and the cuts to axes of a mesh. Equal ops, found by a
// structural hash, share one rule. First operands and results cost one half per uncut element,
// other operands one eighth. If the mesh is free, consecutive equal rounds become one axis.
#include "passes/strategy/recursive/RecursiveStrategy.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/solve/cuts/RecursiveCuts.h"
#include "passes/strategy/constraints/ConstrainedProgram.h"
#include "passes/strategy/constraints/MeshRefinement.h"
#include "passes/strategy/memory_model/MemoryModel.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;

namespace pcc::strategy {

// The forward ops of a program as a problem of recursive cuts (passes/solve/cuts/RecursiveCuts.h).
//
//   program                            problem
//   equal ops, layer by layer          one rule, requested once
//   a forward op                       an op; ops with more flops decide earlier
//   a value                            a tensor; it makes its producer and its readers neighbors
//   a constrained op                   its cut in each round is given

namespace {

/// Compares ops by everything except their names and the operand values they read.
struct EqualOps : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *lhs, const mlir::Operation *rhs);
};

class CutGraph {
public:
  /// Builds the problem from all sections of `module` except the update. The shardings that
  /// `program` prescribes for ops are on its mesh, and the axes of this mesh are then the rounds.
  CutGraph(mlir::ModuleOp module, const ConstrainedProgram &program);

  const solve::CutProblem &getProblem() const { return problem; }
  /// The ops of the module, by index of the op in the problem.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }

private:
  /// Data shared by equal ops.
  struct OpClass {
    int rule;
    double flops;
  };

  void add(mlir::Operation *op);
  OpClass makeClass(mlir::Operation *op);
  int getTensor(mlir::Value value);

  const ConstrainedProgram &program;
  solve::CutProblem problem;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Value, int> tensors;
  llvm::DenseMap<mlir::Operation *, OpClass, EqualOps> classes;
};

solve::CutOperand makeOperand(const TensorFactors &dims, double weight) {
  solve::CutOperand operand{{}, weight};
  for (const DimFactors &factors : dims)
    operand.dims.emplace_back(factors.begin(), factors.end());
  return operand;
}

/// Returns, for each axis of the mesh, the factor that the axis cuts, or -1.
std::vector<int> listGiven(ArrayRef<AxisList> factors, const dist::Mesh &mesh) {
  std::vector<int> given;
  for (const dist::MeshAxis &axis : mesh.getAxes()) {
    auto holds = [&](const AxisList &list) { return llvm::is_contained(list, axis.name); };
    const AxisList *found = llvm::find_if(factors, holds);
    given.push_back(found == factors.end() ? -1 : static_cast<int>(found - factors.begin()));
  }
  return given;
}

} // namespace

unsigned EqualOps::getHashValue(const Operation *op) {
  auto *mutableOp = const_cast<Operation *>(op);
  llvm::hash_code hash = OperationEquivalence::computeHash(
      mutableOp, OperationEquivalence::ignoreHashValue, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  for (Type type : mutableOp->getOperandTypes())
    hash = llvm::hash_combine(hash, type);
  return static_cast<unsigned>(hash);
}

bool EqualOps::isEqual(const Operation *lhs, const Operation *rhs) {
  if (lhs == rhs)
    return true;
  for (const Operation *key : {getEmptyKey(), getTombstoneKey()})
    if (lhs == key || rhs == key)
      return false;
  auto haveEqualTypes = [](Value left, Value right) {
    return success(left.getType() == right.getType());
  };
  return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(lhs),
                                              const_cast<Operation *>(rhs), haveEqualTypes, nullptr,
                                              OperationEquivalence::IgnoreLocations);
}

CutGraph::CutGraph(ModuleOp module, const ConstrainedProgram &program) : program(program) {
  for (analysis::Section section : analysis::collectSections(module))
    if (graph::findArgs(section.function, graph::RoleKind::Gradient).empty())
      for (Operation &op : section.function.getBody().front())
        if (isForwardOp(&op) && op.getNumOperands() > 0)
          add(&op);
  problem.numTensors = static_cast<int>(tensors.size());
}

void CutGraph::add(Operation *op) {
  auto [known, isNew] = classes.try_emplace(op);
  if (isNew)
    known->second = makeClass(op);
  solve::CutOp &cut = problem.ops.emplace_back();
  ops.push_back(op);
  cut.rule = known->second.rule;
  cut.weight = known->second.flops;
  cut.tensors.reserve(op->getNumOperands() + op->getNumResults());
  for (Value operand : op->getOperands())
    cut.tensors.push_back(getTensor(operand));
  for (Value result : op->getResults())
    cut.tensors.push_back(getTensor(result));
  if (auto found = program.given.ops.find(op); found != program.given.ops.end())
    cut.given = listGiven(found->second.factors, program.mesh);
}

CutGraph::OpClass CutGraph::makeClass(Operation *op) {
  constexpr double half = 0.5, eighth = 0.125;
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  solve::CutRule &cut = problem.rules.emplace_back();
  for (auto [index, factor] : llvm::enumerate(rule.getFactors()))
    cut.factors.push_back({factor.size, analysis::isSplittable(op, rule, index)});
  for (auto [index, dims] : llvm::enumerate(rule.getOperands()))
    cut.operands.push_back(makeOperand(dims, index == 0 ? half : eighth));
  for (const TensorFactors &dims : rule.getResults())
    cut.operands.push_back(makeOperand(dims, half));
  return {static_cast<int>(problem.rules.size()) - 1,
          static_cast<double>(analysis::costOf(op).flops)};
}

int CutGraph::getTensor(Value value) {
  return tensors.try_emplace(value, static_cast<int>(tensors.size())).first->second;
}

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
    program.given.ops[op].why =
        analysis::Reasons::makeWhole(module.getContext(), "chosen by recursive cuts");
    std::vector<AxisList> &factors = program.given.ops[op].factors;
    const solve::CutProblem &problem = graph.getProblem();
    factors.resize(problem.rules[problem.ops[index].rule].factors.size());
    for (auto [round, axis] : llvm::zip_equal(rounds, program.mesh.getAxes()))
      if (int factor = round.factors[index]; factor >= 0)
        factors[factor].push_back(axis.name);
  }
}

} // namespace pcc::strategy
