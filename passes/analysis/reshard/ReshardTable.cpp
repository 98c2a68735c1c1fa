// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the graph once for all tensors of one divisibility class. Then scales the costs of its
// edges to the tensor and computes all shortest paths by Floyd's algorithm.
#include "passes/analysis/reshard/ReshardTable.h"

#include "passes/analysis/reshard/ReducedMesh.h"
#include "passes/analysis/reshard/ReshardSteps.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::analysis {
namespace {

AxisList listIdleAxes(const Sharding &sharding, const Mesh &mesh) {
  AxisList idle;
  for (const dist::MeshAxis &axis : mesh.getAxes())
    if (!sharding.uses(axis.name))
      idle.push_back(axis.name);
  return idle;
}

/// Calls `visit` with every subset of `axes` that is not empty.
void forEachSubset(ArrayRef<std::string> axes, function_ref<void(const AxisList &)> visit) {
  for (unsigned bits = 1; bits < 1u << axes.size(); ++bits) {
    AxisList subset;
    for (unsigned i = 0; i < axes.size(); ++i)
      if (bits >> i & 1)
        subset.push_back(axes[i]);
    visit(subset);
  }
}

} // namespace

ReshardGraph::ReshardGraph(ArrayRef<int64_t> shape, const Mesh &mesh)
    : elements(static_cast<double>(product_of(shape))) {
  Mesh used = dropTrivialAxes(mesh);
  addShardings(used, shape);
  addSteps(used, shape);
}

/// Adds all cuts, and each cut with every choice of idle axes partial.
void ReshardGraph::addShardings(const Mesh &mesh, ArrayRef<int64_t> shape) {
  Destination anywhere(Sharding::replicated(shape.size()), Waypoints::All, shape, mesh);
  auto add = [&](Sharding sharding) {
    if (indices.try_emplace(sharding.str(), shardings.size()).second)
      shardings.push_back(std::move(sharding));
  };
  for (const Sharding &cut : anywhere.exchangeGoals) {
    add(cut);
    forEachSubset(listIdleAxes(cut, mesh),
                  [&](const AxisList &axes) { add(cut.withPartial(axes)); });
  }
}

void ReshardGraph::addSteps(const Mesh &mesh, ArrayRef<int64_t> shape) {
  Destination anywhere(Sharding::replicated(shape.size()), Waypoints::All, shape, mesh);
  for (unsigned from = 0; from < shardings.size(); ++from) {
    const Sharding &here = shardings[from];
    for (ReshardStep &step : listSteps(here, anywhere, shape, mesh))
      if (step.kind != StepKind::Mask)
        edges.push_back({from, find(step.to), std::move(step)});
    forEachSubset(listIdleAxes(here, mesh), [&](const AxisList &axes) {
      AxisList all = here.getPartialAxes();
      all.append(axes);
      int64_t block = product_of(here.getLocalShape(shape, mesh));
      ReshardStep step{StepKind::Mask,        axes,  -1,    -1, here,
                       here.withPartial(all), block, block, 0,  0};
      edges.push_back({from, find(step.to), std::move(step)});
    });
  }
}

/// Floyd's algorithm (Algorithm 97, CACM 5(6), 1962) on the costs of the steps.
ReshardTable::ReshardTable(const ReshardGraph &graph, int64_t elements, StepCost cost)
    : graph(graph), seconds(graph.size() * graph.size(), std::numeric_limits<double>::infinity()) {
  size_t size = graph.size();
  double scale = static_cast<double>(elements) / graph.elements;
  for (const ReshardGraph::Edge &edge : graph.edges) {
    double &known = seconds[edge.from * size + edge.to];
    known = std::min(known, cost(edge.step, scale));
  }
  for (size_t i = 0; i < size; ++i)
    seconds[i * size + i] = 0;
  for (size_t via = 0; via < size; ++via)
    for (size_t from = 0; from < size; ++from) {
      double first = seconds[from * size + via];
      const double *second = &seconds[via * size];
      double *direct = &seconds[from * size];
      for (size_t to = 0; to < size; ++to)
        direct[to] = std::min(direct[to], first + second[to]);
    }
}

const ReshardTable &ReshardTables::get(ArrayRef<int64_t> shape, int64_t elementBytes) {
  return get(mesh, shape, elementBytes, ReshardCostModel(cluster, mesh, elementBytes));
}

std::optional<double> ReshardTables::find(const Sharding &from, const Sharding &to,
                                          ArrayRef<int64_t> shape, int64_t elementBytes) {
  if (from == to)
    return 0;
  Mesh wide = dropTrivialAxes(mesh);
  ReducedMesh reduced(from, to, wide, maxReducedAxes);
  if (reduced.getMesh().getAxes().size() > maxReducedAxes)
    return std::nullopt;
  ReshardCostModel cost(cluster, mesh, elementBytes);
  auto costOfReduced = [&](const ReshardStep &step, double scale) {
    return cost(reduced.expand(step), scale);
  };
  const ReshardTable &table =
      get(reduced.getMesh(), reduced.reduceShape(shape), elementBytes, costOfReduced);
  return table(table.getGraph().find(reduced.reduce(from)),
               table.getGraph().find(reduced.reduce(to)));
}

const ReshardTable &ReshardTables::get(const Mesh &used, ArrayRef<int64_t> shape,
                                       int64_t elementBytes, ReshardTable::StepCost cost) {
  std::string cuts = used.str() + " ", size = std::to_string(product_of(shape) * elementBytes);
  for (int64_t extent : shape)
    cuts += std::to_string(std::gcd(extent, used.getNumRanks())) + " ";
  std::unique_ptr<ReshardGraph> &graph = graphs[cuts];
  if (!graph)
    graph = std::make_unique<ReshardGraph>(shape, used);
  std::unique_ptr<ReshardTable> &table = tables[cuts + "of " + size];
  if (!table)
    table = std::make_unique<ReshardTable>(*graph, product_of(shape), cost);
  return *table;
}

} // namespace pcc::analysis
