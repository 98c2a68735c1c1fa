// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs Dijkstra's algorithm over shardings. The mesh is reduced first, so that the graph stays
// small. A direct path gives an upper bound that prunes the search, and a plan if the search is cut
// off.
#include "passes/analysis/reshard/ReshardPlan.h"

#include "passes/analysis/reshard/ReducedMesh.h"
#include "passes/analysis/reshard/ReshardSteps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <queue>

using namespace llvm;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::analysis {

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
  case StepKind::CollectivePermute:
    return "collective_permute";
  case StepKind::BlockExchange:
    return "block_exchange";
  }
  llvm_unreachable("every kind is listed");
}

double costByElements(const ReshardStep &step) {
  constexpr double perTransfer = 1e-3, perLocalStep = 1e-6;
  return static_cast<double>(step.elements) + (step.isLocal() ? perLocalStep : perTransfer);
}

int64_t ReshardPlan::getReceived() const {
  int64_t received = 0;
  for (const ReshardStep &step : steps)
    received += step.elements;
  return received;
}

std::string ReshardStep::str() const {
  std::string text = (stringify(kind) + "(" + join(axes, ".")).str();
  if (kind == StepKind::AllToAll)
    text += ": " + std::to_string(fromDim) + " -> " + std::to_string(toDim);
  else if (fromDim >= 0 || toDim >= 0)
    text += ": " + std::to_string(std::max(fromDim, toDim));
  return text + ")";
}

std::string ReshardPlan::str() const {
  auto texts = map_range(steps, [](const ReshardStep &step) { return step.str(); });
  return join(texts, ", ");
}

/// Returns whether slices alone lead from the cuts of `here` to those of `there`.
static bool isOnTheWay(const Sharding &here, const Sharding &there) {
  return all_of(zip_equal(here.getDims(), there.getDims()), [](auto pair) {
    auto &[some, all] = pair;
    return ArrayRef(all).take_front(some.size()) == ArrayRef(some);
  });
}

bool isLocal(const Sharding &from, const Sharding &to) {
  return from != to && isOnTheWay(from, to) &&
         all_of(from.getPartialAxes(),
                [&](const std::string &axis) { return is_contained(to.getPartialAxes(), axis); });
}

Mesh dropTrivialAxes(const Mesh &mesh) {
  SmallVector<dist::MeshAxis, 4> axes(mesh.getAxes());
  erase_if(axes, [](const dist::MeshAxis &axis) { return axis.size == 1; });
  return Mesh(axes);
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

/// Limits of the exact search. A mesh of more axes is reduced. After more settled shardings, the
/// best plan so far is taken.
constexpr size_t maxAxes = 4;
constexpr int64_t maxSettled = 2000;

/// State of a sharding in the search.
struct Node {
  Sharding sharding;
  double cost = 0;
  std::optional<ReshardStep> step; ///< last one on the cheapest path here
  bool isDone = false;
};

/// Dijkstra's algorithm over the shardings of one tensor, keyed by their text. A path that costs
/// more than a known path to the goal is not followed.
class Search {
public:
  Search(const Sharding &to, ArrayRef<int64_t> shape, const Mesh &mesh, ReshardStepCost cost,
         Waypoints waypoints)
      : to(to), shape(shape), mesh(mesh), cost(cost), goal(to.str()),
        destination(to, waypoints, shape, mesh) {}

  /// Returns the direct way alone.
  ReshardPlan runDirect(const Sharding &from) {
    nodes[from.str()].sharding = from;
    followDirectWay(from);
    return collect();
  }

  ReshardPlan run(const Sharding &from) {
    nodes[from.str()].sharding = from;
    queue.push({0, from.str()});
    followDirectWay(from);
    for (int64_t settled = 0; !queue.empty() && settled < maxSettled; ++settled) {
      std::string key = queue.top().second;
      queue.pop();
      Node &node = nodes[key];
      if (std::exchange(node.isDone, true))
        continue;
      if (key == goal)
        break;
      for (ReshardStep &step : listSteps(node.sharding, destination, shape, mesh))
        relax(node.cost, step);
    }
    return collect();
  }

private:
  /// Relaxes a path that always leads to the goal: all-reduces, exchanges of blocks or slices, then
  /// masks.
  void followDirectWay(Sharding here) {
    Destination direct(to, Waypoints::None, shape, mesh);
    while (here != to) {
      std::vector<ReshardStep> steps = listSteps(here, direct, shape, mesh);
      auto leads = [&](StepKind kind) {
        return find_if(steps, [&](const ReshardStep &step) {
          return step.kind == kind && (kind != StepKind::Slice || isOnTheWay(step.to, to));
        });
      };
      auto step = steps.end();
      for (StepKind kind : {StepKind::AllReduce, StepKind::CollectivePermute,
                            StepKind::BlockExchange, StepKind::Slice, StepKind::Mask})
        if (step == steps.end())
          step = leads(kind);
      double costHere = nodes[here.str()].cost;
      here = step->to;
      relax(costHere, *step);
    }
  }

  void relax(double costHere, ReshardStep &step) {
    double total = costHere + cost(step);
    std::string key = step.to.str();
    if (total > bound * (1 + rounding))
      return;
    auto [it, isNew] = nodes.try_emplace(key);
    Node &node = it->second;
    if (!isNew && (node.isDone || !isBetter(total, step, node)))
      return;
    if (key == goal)
      bound = total;
    node.sharding = step.to;
    node.cost = total;
    node.step = std::move(step);
    queue.push({total, key});
  }

  /// Prefers, at equal costs up to rounding, a collective with a name of its own to an exchange.
  static bool isBetter(double total, const ReshardStep &step, const Node &known) {
    bool isNamed = known.step && known.step->isExchange() && !step.isExchange();
    return isNamed ? total <= known.cost * (1 + rounding) : total < known.cost;
  }

  ReshardPlan collect() {
    ReshardPlan plan;
    plan.cost = nodes[goal].cost;
    for (std::string key = goal; nodes[key].step; key = nodes[key].step->from.str())
      plan.steps.insert(plan.steps.begin(), *nodes[key].step);
    return plan;
  }

  static constexpr double rounding = 1e-14; ///< relative difference of costs that count as equal
  using Entry = std::pair<double, std::string>;
  const Sharding &to;
  ArrayRef<int64_t> shape;
  const Mesh &mesh;
  ReshardStepCost cost;
  std::string goal;
  Destination destination;
  double bound = std::numeric_limits<double>::infinity(); ///< cost of the best known path
  std::map<std::string, Node> nodes;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

} // namespace

static ReshardPlan planOnReducedMesh(const Sharding &from, const Sharding &to,
                                     ArrayRef<int64_t> shape, const Mesh &mesh,
                                     ReshardStepCost cost, Waypoints waypoints, bool isDirect) {
  Mesh used = dropTrivialAxes(mesh);
  Sharding start = dropTrivialAxes(from, mesh), goal = dropTrivialAxes(to, mesh);
  ReducedMesh reduced(start, goal, used, maxAxes);
  start = reduced.reduce(start);
  goal = reduced.reduce(goal);
  auto costOfReduced = [&](const ReshardStep &step) { return cost(reduced.expand(step)); };
  SmallVector<int64_t, 4> part = reduced.reduceShape(shape);
  Search search(goal, part, reduced.getMesh(), costOfReduced, waypoints);
  ReshardPlan plan = isDirect ? search.runDirect(start) : search.run(start);
  for (ReshardStep &step : plan.steps)
    step = reduced.expand(std::move(step));
  return plan;
}

ReshardPlan planReshard(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                        const Mesh &mesh, ReshardStepCost cost, Waypoints waypoints) {
  return planOnReducedMesh(from, to, shape, mesh, cost, waypoints, /*isDirect=*/false);
}

ReshardPlan planDirectReshard(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                              const Mesh &mesh, ReshardStepCost cost) {
  return planOnReducedMesh(from, to, shape, mesh, cost, Waypoints::None, /*isDirect=*/true);
}

} // namespace pcc::analysis
