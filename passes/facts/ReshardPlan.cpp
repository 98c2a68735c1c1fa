// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/ReshardPlan.h"

#include "passes/facts/ReshardSteps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <queue>

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::facts {

StringRef stringify(StepKind kind) {
  switch (kind) {
  case StepKind::Mask:
    return "mask";
  case StepKind::Slice:
    return "slice";
  case StepKind::AllGather:
    return "all_gather";
  case StepKind::AllToAll:
    return "all_to_all";
  case StepKind::ReduceScatter:
    return "reduce_scatter";
  case StepKind::AllReduce:
    return "all_reduce";
  case StepKind::BlockExchange:
    return "block_exchange";
  }
  return "";
}

double priceByElements(const ReshardStep &step) {
  constexpr double perTransfer = 1e-3, perLocalStep = 1e-6;
  return static_cast<double>(step.elements) + (step.isLocal() ? perLocalStep : perTransfer);
}

int64_t ReshardPlan::getReceived() const {
  int64_t received = 0;
  for (const ReshardStep &step : steps)
    received += step.elements;
  return received;
}

std::string ReshardPlan::str() const {
  std::string text;
  raw_string_ostream os(text);
  interleaveComma(steps, os, [&](const ReshardStep &step) {
    os << stringify(step.kind) << "(" << join(step.axes, ".");
    if (step.kind == StepKind::AllToAll)
      os << ": " << step.fromDim << " -> " << step.toDim;
    else if (step.fromDim >= 0 || step.toDim >= 0)
      os << ": " << std::max(step.fromDim, step.toDim);
    os << ")";
  });
  return text;
}

Sharding dropTrivialAxes(const Sharding &sharding, const Mesh &mesh) {
  auto isTrivial = [&](const std::string &axis) { return mesh.getSize(StringRef(axis)) == 1; };
  SmallVector<AxisList, 4> dims(sharding.getDims());
  for (AxisList &axes : dims)
    erase_if(axes, isTrivial);
  AxisList partialAxes = sharding.getPartialAxes();
  erase_if(partialAxes, isTrivial);
  return Sharding(dims, partialAxes, sharding.getPartialKind());
}

namespace {

/// What the search knows of a sharding.
struct Node {
  Sharding sharding;
  double price = 0;
  std::optional<ReshardStep> step; ///< the last one on the cheapest way here
  bool isDone = false;
};

/// Dijkstra's algorithm over the shardings of one tensor, keyed by their text.
class Search {
public:
  Search(const Sharding &to, ArrayRef<int64_t> shape, const Mesh &mesh, StepPrice price)
      : to(to), shape(shape), mesh(mesh), price(price), goal(to.str()) {}

  ReshardPlan run(const Sharding &from) {
    nodes[from.str()].sharding = from;
    queue.push({0, from.str()});
    while (!queue.empty()) {
      std::string key = queue.top().second;
      queue.pop();
      Node &node = nodes[key];
      if (std::exchange(node.isDone, true))
        continue;
      if (key == goal)
        break;
      for (ReshardStep &step : listSteps(node.sharding, to, shape, mesh))
        relax(node.price, step);
    }
    return collect();
  }

private:
  void relax(double priceHere, ReshardStep &step) {
    double total = priceHere + price(step);
    std::string key = step.to.str();
    auto [it, isNew] = nodes.try_emplace(key);
    Node &node = it->second;
    if (!isNew && (node.isDone || node.price <= total))
      return;
    node.sharding = step.to;
    node.price = total;
    node.step = std::move(step);
    queue.push({total, key});
  }

  ReshardPlan collect() {
    ReshardPlan plan;
    plan.price = nodes[goal].price;
    for (std::string key = goal; nodes[key].step; key = nodes[key].step->from.str())
      plan.steps.insert(plan.steps.begin(), *nodes[key].step);
    return plan;
  }

  using Entry = std::pair<double, std::string>;
  const Sharding &to;
  ArrayRef<int64_t> shape;
  const Mesh &mesh;
  StepPrice price;
  std::string goal;
  std::map<std::string, Node> nodes;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

} // namespace

ReshardPlan planReshard(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                        const Mesh &mesh, StepPrice price) {
  Sharding start = dropTrivialAxes(from, mesh), goal = dropTrivialAxes(to, mesh);
  return Search(goal, shape, mesh, price).run(start);
}

} // namespace pcc::facts
