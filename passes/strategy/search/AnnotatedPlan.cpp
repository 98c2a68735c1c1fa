// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/search/AnnotatedPlan.h"

#include "passes/analysis/Sections.h"
#include "passes/analysis/Shardings.h"
#include "passes/analysis/reshard/ReshardPlan.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace pcc::strategy {

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

} // namespace pcc::strategy
