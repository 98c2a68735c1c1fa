// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the ops of all sections of a step, or of all functions if the module does not
// train. A counter of ops is the time axis: each use extends the interval of its source. Boundary
// nodes are found by role, so sections that pass the same value share a node.
#include "passes/strategy/search/SearchGraph.h"

#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/strategy/propagate/Propagation.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;
using pcc::graph::RoleKind;

namespace pcc::strategy {
namespace {

/// Whether an op can produce any block of its result without operands.
bool isLeaf(Operation *op) {
  return op->getNumOperands() == 0 && isa<analysis::LocalFormOpInterface>(op);
}

/// Returns the type of a tensor that can be split; null for scalars and other values.
RankedTensorType getTensorType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 ? type : RankedTensorType();
}

/// Whether a boundary node stands for the values of this role.
bool isBoundary(graph::RoleAttr role) {
  return role && (role.getKind() == RoleKind::Parameter || role.getKind() == RoleKind::Gradient ||
                  role.getKind() == RoleKind::Input);
}

/// Builds the graph from the sections that a step runs, op by op.
class Builder {
public:
  Builder(SearchGraph &graph, const SeedShardings &given) : graph(graph), given(given) {}

  void run(ModuleOp module) {
    SmallVector<analysis::Section> sections = analysis::collectSections(module);
    bool trains =
        llvm::any_of(sections, [](analysis::Section &section) { return section.runs > 0; });
    for (analysis::Section &section : sections)
      if (section.runs > 0 || !trains)
        addSection(section);
    for (SearchNode &node : graph.nodes)
      if (node.kind == SearchNode::Kind::Boundary && isHeldThroughout(node))
        node.begin = 0, node.end = position;
  }

private:
  /// Source of a value.
  struct Source {
    unsigned node, result;
  };

  unsigned addNode(SearchNode node) {
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
  }

  /// Whether a boundary is held throughout the step: parameters and the optimizer's states live
  /// through all steps, accumulated gradients through one.
  static bool isHeldThroughout(const SearchNode &node) {
    return node.role.getKind() == RoleKind::Parameter ||
           (node.role.getKind() == RoleKind::Gradient && node.runs > 1);
  }

  unsigned getBoundary(graph::RoleAttr role, RankedTensorType type) {
    auto [it, isNew] = boundaries.try_emplace(role, 0);
    if (isNew) {
      SearchNode node{SearchNode::Kind::Boundary};
      node.role = role;
      node.type = type;
      node.begin = node.end = position;
      node.runs = runs;
      it->second = addNode(std::move(node));
    }
    return it->second;
  }

  void addSection(analysis::Section &section) {
    sources.clear();
    runs = std::max<int64_t>(section.runs, 1);
    Block &body = section.function.getBody().front();
    for (BlockArgument argument : body.getArguments()) {
      graph::RoleAttr role = section.getArgumentRole(argument.getArgNumber());
      if (RankedTensorType type = getTensorType(argument); type && isBoundary(role))
        offer(argument, {getBoundary(role, type), 0});
    }
    for (Operation &op : body.without_terminator()) {
      if (isa<FactorRuleOpInterface>(op) && !isLeaf(&op))
        addOp(&op);
      ++position;
    }
    for (auto [index, value] : llvm::enumerate(section.getReturned()))
      addResult(section, index, value);
  }

  void addOp(Operation *op) {
    SearchNode node{SearchNode::Kind::Op};
    node.op = op;
    node.runs = runs;
    node.begin = position;
    node.end = position + 1;
    unsigned index = addNode(std::move(node));
    for (OpOperand &operand : op->getOpOperands())
      addUse(operand.get(), index, operand.getOperandNumber());
    for (OpResult result : op->getResults())
      if (getTensorType(result))
        offer(result, {index, result.getResultNumber()});
  }

  /// Whether `value` has one sharding for all its users: it has several uses, or the sharding is
  /// given.
  bool isShared(Value value) const {
    if (findSeen(given, value))
      return true;
    return !value.use_empty() && !value.hasOneUse();
  }

  /// Makes `value` available to its users, through a shared node if they share it.
  void offer(Value value, Source source) {
    if (isShared(value)) {
      SearchNode node{SearchNode::Kind::Shared};
      node.value = value;
      node.type = getTensorType(value);
      node.begin = node.end = position;
      node.runs = runs;
      unsigned shared = addNode(std::move(node));
      graph.edges.push_back({source.node, source.result, shared, 0, getTensorType(value), runs});
      source = {shared, 0};
    }
    sources[value] = source;
  }

  void addUse(Value value, unsigned node, unsigned operand) {
    auto found = sources.find(value);
    if (found == sources.end())
      return;
    auto [from, result] = found->second;
    graph.edges.push_back({from, result, node, operand, getTensorType(value), runs});
    graph.nodes[from].end = std::max(graph.nodes[from].end, position + 1);
  }

  void addResult(analysis::Section &section, unsigned index, Value value) {
    RankedTensorType type = getTensorType(value);
    if (!type)
      return;
    if (graph::RoleAttr role = section.getResultRole(index); isBoundary(role))
      return addUse(value, getBoundary(role, type), 0);
    auto found = sources.find(value);
    if (found != sources.end() && !staysPartial(section.function, index))
      graph.outputs.push_back({found->second.node, found->second.result, type, runs});
  }

  SearchGraph &graph;
  const SeedShardings &given;
  llvm::MapVector<Attribute, unsigned> boundaries; ///< by role
  llvm::DenseMap<Value, Source> sources;           ///< sources of the section's values
  int64_t position = 0, runs = 1;
};

} // namespace

const dist::Sharding *findSeen(const SeedShardings &given, Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto found = result ? given.ops.find(result.getOwner()) : given.ops.end();
  if (found == given.ops.end() || result.getResultNumber() >= found->second.results.size())
    return nullptr;
  return &found->second.results[result.getResultNumber()];
}

SearchGraph::SearchGraph(ModuleOp module, const SeedShardings &given) {
  Builder(*this, given).run(module);
}

} // namespace pcc::strategy
