// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/NodeGraph.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using pcc::strategy::MemoryGraph;
using pcc::strategy::MemoryNode;
using pcc::strategy::MemoryOp;
using pcc::strategy::MemoryTensor;
using pcc::strategy::MemoryUse;

namespace pcc::conformance {
namespace {

/// For each factor of a piece, the factor of the first piece; -1 for none.
using FactorMap = std::vector<int>;

/// Joins the pieces of one node.
class Joiner {
public:
  Joiner(MemoryGraph &graph, llvm::ArrayRef<int> pieces) : graph(graph), first(pieces.front()) {
    for (int piece : pieces)
      maps[piece] = FactorMap(ruleOf(piece).getFactors().size(), -1);
    for (unsigned factor = 0; factor < maps[first].size(); ++factor)
      maps[first][factor] = factor;
    for (unsigned operand = 0; operand < lead().operands.size(); ++operand)
      operands[originOf(first, operand)] = operand;
    for (int piece : pieces)
      join(piece);
    lead().costRule = strategy::MemoryCostRule::Any;
  }

private:
  MemoryOp &lead() { return graph.nodes[first].modelOp; }
  FactorRule &ruleOf(int piece) { return graph.nodes[piece].modelOp.rule; }
  bool isPiece(int node) const { return maps.contains(node); }

  /// Returns the value that a piece reads, before its repetition.
  mlir::Value originOf(int piece, unsigned operand) {
    mlir::Value value = graph.nodes[piece].op->getOperand(operand);
    while (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
      value = broadcast.getInput();
    return value;
  }

  TensorFactors translate(const TensorFactors &dims, int piece) {
    TensorFactors translated;
    for (const DimFactors &dim : dims) {
      DimFactors &factors = translated.emplace_back();
      for (unsigned factor : dim)
        if (int known = maps[piece][factor]; known >= 0)
          factors.push_back(known);
    }
    return translated;
  }

  void join(int piece) {
    llvm::DenseSet<unsigned> inner;
    for (const MemoryUse &use : graph.uses)
      if (use.node == piece && isPiece(use.from.node)) {
        follow(use);
        inner.insert(use.operand);
      }
    for (auto [factor, known] : llvm::enumerate(maps[piece]))
      if (FactorKind kind = ruleOf(piece).getFactor(factor).kind;
          known >= 0 && (kind == FactorKind::Whole || kind == FactorKind::Reduce))
        lead().rule.getFactor(known).kind = FactorKind::Whole;
    for (unsigned operand = 0; operand < graph.nodes[piece].modelOp.operands.size(); ++operand)
      if (!inner.contains(operand))
        takeOperand(piece, operand);
    takeResults(piece);
  }

  /// Maps the factors of a reader to those of the piece that made the operand.
  void follow(const MemoryUse &use) {
    const MemoryTensor &made = graph.nodes[use.from.node].modelOp.results[use.from.result];
    TensorFactors known = translate(made.dims, use.from.node);
    for (auto [from, to] : llvm::zip(known, use.tensor.dims))
      if (from.size() == 1 && to.size() == 1)
        maps[use.node][to.front()] = static_cast<int>(from.front());
  }

  void takeOperand(int piece, unsigned operand) {
    mlir::Value origin = originOf(piece, operand);
    if (origin.getDefiningOp<graph::ConstantOp>())
      return;
    auto [known, isNew] = operands.try_emplace(origin, lead().operands.size());
    if (isNew) {
      lead().operands.push_back(graph.nodes[piece].modelOp.operands[operand]);
      MemoryTensor &tensor = lead().operands.back().tensor;
      tensor.dims = translate(tensor.dims, piece);
    }
    for (MemoryUse &use : graph.uses)
      if (use.node == piece && use.operand == operand && piece != first) {
        use.node = isNew ? first : dropped;
        use.operand = known->second;
        use.tensor.dims = lead().operands[known->second].tensor.dims;
      }
  }

  /// Makes the results of the last piece those of the node.
  void takeResults(int piece) {
    std::vector<TensorFactors> dims;
    for (const MemoryTensor &result : graph.nodes[piece].modelOp.results)
      dims.push_back(translate(result.dims, piece));
    results.assign(graph.nodes[piece].modelOp.results.begin(),
                   graph.nodes[piece].modelOp.results.end());
    for (auto [result, translated] : llvm::zip_equal(results, dims))
      result.dims = translated;
  }

public:
  /// Finishes the joined op: it makes the results of the last piece, and uses between pieces are
  /// dropped.
  void finish() {
    lead().results.assign(results.begin(), results.end());
    for (MemoryUse &use : graph.uses) {
      if (isPiece(use.node) && isPiece(use.from.node))
        use.node = dropped;
      else if (isPiece(use.from.node))
        use.from.node = first;
    }
  }

  static constexpr int dropped = -2; ///< marks the reader of a deleted use

private:
  MemoryGraph &graph;
  int first;
  std::map<int, FactorMap> maps;
  llvm::DenseMap<mlir::Value, unsigned> operands; ///< operands of the joined op, by the value read
  std::vector<MemoryTensor> results;
};

/// Keeps the nodes `kept`, in that order, and the remaining uses.
void compact(MemoryGraph &graph, llvm::ArrayRef<int> kept) {
  std::vector<int> numbers(graph.nodes.size(), -1);
  std::vector<MemoryNode> nodes;
  for (int node : kept) {
    numbers[node] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(graph.nodes[node]));
  }
  graph.nodes = std::move(nodes);
  llvm::erase_if(graph.uses, [](const MemoryUse &use) { return use.node == Joiner::dropped; });
  for (MemoryUse &use : graph.uses)
    for (int *node : {&use.from.node, &use.node})
      if (*node >= 0)
        *node = numbers[*node];
}

} // namespace

llvm::StringRef findNode(const Case &question, mlir::Operation *op) {
  llvm::StringRef name = analysis::getName(op);
  for (const Node &node : question.nodes)
    if (name == node.name || name.starts_with(node.name + "_"))
      return node.name;
  return "";
}

MemoryGraph makeNodeGraph(const Case &question, ModuleOp module) {
  MemoryGraph graph(module);
  if (question.object->getBoolean("train").value_or(false))
    llvm::erase_if(graph.uses, [](const MemoryUse &use) { return use.node < 0; });
  llvm::MapVector<llvm::StringRef, std::vector<int>> pieces;
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    pieces[findNode(question, node.op)].push_back(index);
  std::vector<int> kept;
  for (const auto &[name, group] : pieces) {
    kept.push_back(group.front());
    if (group.size() > 1)
      Joiner(graph, group).finish();
  }
  compact(graph, kept);
  return graph;
}

} // namespace pcc::conformance
