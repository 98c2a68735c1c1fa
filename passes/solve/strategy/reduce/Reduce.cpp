// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs all reductions in rounds until none changes the core. Changed nodes are marked as dirty; arc
// consistency and dominance visit only these. compact() then renumbers the remaining nodes and
// edges and records how to map solutions back.
#include "passes/solve/strategy/reduce/Reduce.h"
#include <map>

namespace pcc::solve {

std::vector<Segment> reduce(Core &core, const Stop &stop) {
  std::vector<char> dirty(core.nodes.size(), true);
  bool (*const reductions[])(Core &, std::vector<char> &, const Stop &) = {
      removeOptions, mergeAliases, simplifyEdges, removeOptions, reduceUse, eliminateLowDegree,
  };
  for (bool again = true; again && !core.isContradictory();) {
    again = false;
    for (auto *reduction : reductions) {
      again |= reduction(core, dirty, stop);
      if (core.isContradictory() || stop())
        return {};
    }
  }
  return core.isContradictory() ? std::vector<Segment>() : findSegments(core);
}

/// Drops removed nodes and edges, and moves the steps so far to a new entry of the history.
static void renumber(Core &core) {
  auto record = std::make_shared<History>();
  record->steps = std::move(core.steps);
  record->size = core.nodes.size();
  record->before = std::move(core.history);
  std::vector<int> place(core.nodes.size(), -1), edgePlace(core.edges.size(), -1);
  std::vector<CoreNode> nodes;
  std::vector<CoreEdge> edges;
  for (size_t i = 0; i < core.nodes.size(); ++i)
    if (!core.nodes[i].isGone()) {
      place[i] = static_cast<int>(nodes.size());
      record->nodes.push_back(static_cast<int>(i));
      nodes.push_back(std::move(core.nodes[i]));
    }
  for (size_t e = 0; e < core.edges.size(); ++e)
    if (CoreEdge &edge = core.edges[e]; !edge.isGone()) {
      edgePlace[e] = static_cast<int>(edges.size());
      edges.push_back({place[edge.u], place[edge.v], std::move(edge.table)});
    }
  for (CoreNode &node : nodes)
    for (int &e : node.edges)
      e = edgePlace[e];
  core.nodes = std::move(nodes);
  core.edges = std::move(edges);
  core.steps.clear();
  core.kept = core.kept < 0 ? -1 : place[core.kept];
  core.history = std::move(record);
}

static std::vector<Term> termsBySegment(const CoreNode &node,
                                        const std::vector<Segment> &segments) {
  std::map<std::pair<int, int>, std::vector<int64_t>> byRange;
  for (const Term &term : node.terms) {
    std::vector<int64_t> &sum = byRange[rangeOf(segments, term.begin, term.end)];
    sum.resize(node.costs.size());
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += term.use[i];
  }
  std::vector<Term> terms;
  for (auto &[range, use] : byRange)
    if (range.first < range.second)
      terms.push_back({range.first, range.second, std::move(use)});
  return terms;
}

void compact(Core &core, std::vector<Segment> &segments) {
  renumber(core);
  for (CoreNode &node : core.nodes)
    node.terms = termsBySegment(node, segments);
  core.fixedUse.clear();
  int64_t used = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    int64_t time = static_cast<int64_t>(s);
    core.fixedUse.push_back({time, core.limit - segments[s].capacity - used});
    used = core.limit - segments[s].capacity;
    segments[s].time = time;
  }
  core.fixedUse.push_back({static_cast<int64_t>(segments.size()), -used});
}

} // namespace pcc::solve
