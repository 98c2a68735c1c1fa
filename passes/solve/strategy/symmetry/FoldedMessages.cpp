// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/strategy/symmetry/FoldedMessages.h"

namespace pcc::solve {

std::vector<float> carryMessages(const FoldedProblem &coarse, const std::vector<float> &messages,
                                 const FoldedProblem &fine) {
  std::vector<float> result(fine.flat.messages, 0.0F);
  for (size_t e = 0; e < fine.edges.size(); ++e) {
    const FoldedEdge &from = coarse.edges[e], &to = fine.edges[e];
    if (from.edge < 0 || to.edge < 0)
      continue;
    const FlatEdge &given = coarse.flat.edges[from.edge];
    const FlatEdge &edge = fine.flat.edges[to.edge];
    float share = 1.0F / float(coarse.edgeCounts[from.edge]);
    auto add = [&](size_t source, size_t target, int node) {
      for (int i = 0; i < fine.flat.nodes[node].size; ++i)
        result[target + i] += share * messages[source + i];
    };
    bool isSame = from.isTransposed == to.isTransposed;
    add(isSame ? given.message : given.backward, edge.message, edge.v);
    add(isSame ? given.backward : given.message, edge.backward, edge.u);
  }
  return result;
}

} // namespace pcc::solve
