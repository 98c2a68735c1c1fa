// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are computed as doubles first and scaled to integers at the end, when the largest is known.
// Many options give a tensor the same layout, so a table is computed once per pair of distinct
// layouts.
#include "passes/strategy/memory_model/MemorySearch.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {
namespace {

/// Whether the cost model covers the split of a factor. It covers windows except those of
/// convolutions, and whole factors of gather and batch norm, which have a local form in MindSpore,
/// too.
bool isCovered(Operation *op, FactorKind kind) {
  switch (kind) {
  case FactorKind::Parallel:
  case FactorKind::Reduce:
    return true;
  case FactorKind::Whole:
    return isa<graph::GatherOp, graph::BatchNormOp>(op);
  case FactorKind::Window:
    return !isa<graph::Conv2dOp>(op);
  }
  llvm_unreachable("every kind is listed");
}

bool isCovered(const MemoryNode &node, ArrayRef<int64_t> counts) {
  return llvm::all_of(llvm::zip_equal(node.modelOp.rule.getFactors(), counts), [&](auto pair) {
    return std::get<1>(pair) == 1 || isCovered(node.op, std::get<0>(pair).kind);
  });
}

/// Distinct layouts of a list, and the index of each list entry among them.
struct Distinct {
  explicit Distinct(const std::vector<DeviceLayout> &all) {
    std::map<std::vector<int64_t>, size_t> known;
    for (const DeviceLayout &layout : all) {
      std::vector<int64_t> key(layout.matrix.begin(), layout.matrix.end());
      for (const LayoutDim &dim : layout.dims)
        key.insert(key.end(), {dim.size, dim.axis.begin, dim.axis.end});
      auto [it, isNew] = known.try_emplace(std::move(key), layouts.size());
      if (isNew)
        layouts.push_back(layout);
      indices.push_back(it->second);
    }
  }

  std::vector<DeviceLayout> layouts;
  std::vector<size_t> indices;
};

} // namespace

MemoryProblem::MemoryProblem(MemoryGraph given, MemorySpace space, MemoryModel model)
    : space(std::move(space)), model(model), graph(std::move(given)) {
  for (const MemoryNode &node : graph.nodes)
    addNode(node);
  llvm::MapVector<Value, SmallVector<const MemoryUse *>> reshapes;
  for (const MemoryUse &use : graph.uses)
    if (use.from.reshaped && this->space.detachesReshapes)
      reshapes[use.from.reshaped].push_back(&use);
    else
      addUse(use);
  for (const auto &[reshape, readers] : reshapes)
    addReshape(reshape, readers);
  finish();
}

//===-- Options -----------------------------------------------------------------------------===//

analysis::StrategyList MemoryProblem::listOptions(const MemoryNode &node) const {
  analysis::StrategyList kept(node.modelOp.rule.getFactors().size());
  if (space.findGiven)
    if (FactorCounts given = space.findGiven(node.op); !given.empty()) {
      kept.push_back(given);
      return kept;
    }
  analysis::StrategyList all = analysis::StrategySpace(node.op).list(space.devices, space.use);
  for (size_t index = 0; index < all.size(); ++index)
    if (isCovered(node, all[index]) && (!space.allows || space.allows(node.op, all[index])))
      kept.push_back(all[index]);
  if (kept.size() == 0)
    kept.push_back(all[0]); // splits nothing
  return kept;
}

void MemoryProblem::addNode(const MemoryNode &node) {
  options.push_back(listOptions(node));
  std::vector<MemoryCost> &own = modelCosts.emplace_back();
  for (size_t index = 0; index < options.back().size(); ++index)
    own.push_back(costOfOp(node.modelOp, options.back()[index], space.devices));
  problem.nodes.emplace_back().name = analysis::getName(node.op).str();
}

std::optional<int32_t> MemoryProblem::findOption(unsigned node, ArrayRef<int64_t> counts) const {
  for (size_t index = 0; index < options[node].size(); ++index)
    if (options[node][index] == counts)
      return static_cast<int32_t>(index);
  return std::nullopt;
}

//===-- Uses --------------------------------------------------------------------------------===//

/// Lists the layouts of the source: one per option of a node, or the one in which an input is fed.
MemoryProblem::Layouts MemoryProblem::listMade(const MemorySource &source) const {
  Layouts layouts;
  if (source.input) {
    auto shape = cast<RankedTensorType>(source.input.getType()).getShape();
    DeviceLayout &layout = layouts.emplace_back(layOutWhole(shape));
    if (int64_t parts = space.countFed ? space.countFed(source.input) : 1; parts > 1) {
      layout.dims.front().axis = {1, parts};
      layout.matrix.push_back(parts);
    }
    return layouts;
  }
  const MemoryOp &maker = graph.nodes[source.node].modelOp;
  const MemoryTensor &tensor = maker.results[source.result];
  for (size_t index = 0; index < options[source.node].size(); ++index)
    layouts.push_back(layOut(tensor.shape, tensor.dims, options[source.node][index], maker.rule));
  return layouts;
}

/// Lists the layouts that a use needs: one per option of the reader, or the unsplit tensor outside
/// the graph.
MemoryProblem::Layouts MemoryProblem::listWanted(const MemoryUse &use) const {
  if (use.node < 0)
    return {layOutWhole(use.tensor.shape)};
  Layouts layouts;
  for (size_t index = 0; index < options[use.node].size(); ++index)
    layouts.push_back(layOut(use.tensor.shape, use.tensor.dims, options[use.node][index],
                             graph.nodes[use.node].modelOp.rule));
  return layouts;
}

bool MemoryProblem::mustFollow(const MemoryUse &use) const {
  if (!space.elementwiseFollows || use.from.node < 0 || use.node < 0)
    return false;
  const MemoryNode &reader = graph.nodes[use.node];
  return analysis::classOf(reader.op) == analysis::OpClass::Elementwise &&
         use.tensor.shape == reader.modelOp.results.front().shape;
}

ReshardVolume MemoryProblem::measure(const MemoryUse &use, int32_t from, int32_t to) const {
  return measureReshard(listMade(use.from)[from], listWanted(use)[to], use.tensor.elementBytes);
}

MemoryCost MemoryProblem::costOfUse(const MemoryUse &use, const DeviceLayout &from,
                                    const DeviceLayout &to) const {
  ReshardVolume volume = measureReshard(from, to, use.tensor.elementBytes);
  return use.from.reshaped ? costOfReshape(volume, from, space.devices) : costOfReshard(volume);
}

std::vector<double> MemoryProblem::makeTable(const MemoryUse &use) const {
  Distinct made(listMade(use.from)), wanted(listWanted(use));
  std::vector<double> distinct;
  for (const DeviceLayout &from : made.layouts)
    for (const DeviceLayout &to : wanted.layouts)
      distinct.push_back(mustFollow(use) && from != to ? std::numeric_limits<double>::infinity()
                                                       : model.getTotal(costOfUse(use, from, to)));
  std::vector<double> table;
  table.reserve(made.indices.size() * wanted.indices.size());
  for (size_t from : made.indices)
    for (size_t to : wanted.indices)
      table.push_back(distinct[from * wanted.layouts.size() + to]);
  return table;
}

void MemoryProblem::addUse(const MemoryUse &use) {
  if (use.from.node >= 0 && use.node >= 0) {
    edges.push_back(&use);
    tables.push_back(makeTable(use));
    return;
  }
  Layouts made = listMade(use.from), wanted = listWanted(use);
  for (auto [from, layout] : llvm::enumerate(made))
    for (auto [to, other] : llvm::enumerate(wanted)) {
      MemoryCost modelCost = costOfUse(use, layout, other);
      if (use.node >= 0)
        modelCosts[use.node][to] += modelCost;
      else if (use.from.node >= 0)
        modelCosts[use.from.node][from] += modelCost;
      else
        fixed += modelCost;
    }
}

void MemoryProblem::addReshape(Value reshape, ArrayRef<const MemoryUse *> readers) {
  Layouts all;
  for (const MemoryUse *use : readers)
    llvm::append_range(all, listWanted(*use));
  const MemoryUse &first = *readers.front();
  Distinct wanted(all);
  for (auto [index, from] : llvm::enumerate(listMade(first.from))) {
    std::optional<MemoryCost> cheapest;
    for (const DeviceLayout &to : wanted.layouts) {
      MemoryCost modelCost = costOfUse(first, from, to);
      if (!cheapest || model.getTotal(modelCost) < model.getTotal(*cheapest))
        cheapest = modelCost;
    }
    (first.from.node >= 0 ? modelCosts[first.from.node][index] : fixed) += *cheapest;
  }
}

//===-- The problem -------------------------------------------------------------------------===//

/// Returns the largest power of two that keeps scaled costs far below the forbidden cost.
static double chooseScale(double largest) {
  constexpr double limit = 1e16;
  return std::exp2(std::floor(std::log2(limit / std::max(largest, 1.0))));
}

void MemoryProblem::finish() {
  double largest = 0;
  for (const std::vector<MemoryCost> &own : modelCosts)
    for (const MemoryCost &modelCost : own)
      largest = std::max(largest, model.getTotal(modelCost));
  for (const std::vector<double> &table : tables)
    for (double cost : table)
      if (std::isfinite(cost))
        largest = std::max(largest, cost);
  scale = chooseScale(largest);
  auto toCost = [&](double total) {
    return std::isfinite(total) ? std::llround(total * scale) : solve::kForbidden;
  };
  for (auto [node, own] : llvm::zip_equal(problem.nodes, modelCosts)) {
    for (const MemoryCost &modelCost : own)
      node.costs.push_back(toCost(model.getTotal(modelCost)));
    node.usages.assign(own.size(), 0);
  }
  for (auto [use, table] : llvm::zip_equal(edges, tables)) {
    solve::StrategyEdge &edge = problem.edges.emplace_back();
    edge.u = use->from.node;
    edge.v = use->node;
    std::vector<int64_t> costs;
    for (double cost : table)
      costs.push_back(toCost(cost));
    edge.costs = std::move(costs);
  }
  tables.clear();
}

MemoryCost MemoryProblem::getCost(const solve::StrategySolution &solution) const {
  MemoryCost sum = fixed;
  for (auto [node, option] : llvm::enumerate(solution))
    sum += modelCosts[node][option];
  for (const MemoryUse *use : edges)
    sum += costOfUse(*use, listMade(use->from)[solution[use->from.node]],
                     listWanted(*use)[solution[use->node]]);
  return sum;
}

} // namespace pcc::strategy
