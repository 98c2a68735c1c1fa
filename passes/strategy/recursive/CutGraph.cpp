// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/recursive/CutGraph.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/analysis/LocalForm.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/strategy/memory_model/MemoryGraph.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;

namespace pcc::strategy {
namespace {

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

} // namespace pcc::strategy
