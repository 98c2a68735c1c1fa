// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks both graphs in step, since they list common nodes in the same order, and finds equal
// shardings.
#include "passes/strategy/search/SearchTranslate.h"

using namespace mlir;

namespace pcc::strategy {

/// Whether both nodes represent the same decision.
static bool isSame(const SearchNode &lhs, const SearchNode &rhs) {
  return lhs.kind == rhs.kind && lhs.op == rhs.op && lhs.role == rhs.role && lhs.value == rhs.value;
}

std::optional<solve::StrategySolution> translate(const SearchProblem &from,
                                                 const solve::StrategySolution &solution,
                                                 const SearchProblem &to) {
  const std::vector<SearchNode> &nodes = from.getGraph().nodes;
  solve::StrategySolution translated;
  size_t at = 0;
  for (auto [index, node] : llvm::enumerate(to.getGraph().nodes)) {
    while (at < nodes.size() && !isSame(nodes[at], node))
      ++at;
    if (at == nodes.size())
      return std::nullopt;
    const OpSharding &opSharding = from.getOptions(at).opShardings[solution[at]];
    const std::vector<OpSharding> &opShardings = to.getOptions(index).opShardings;
    auto found = llvm::find(opShardings, opSharding);
    if (found == opShardings.end())
      return std::nullopt;
    translated.push_back(static_cast<int32_t>(found - opShardings.begin()));
    ++at;
  }
  return translated;
}

} // namespace pcc::strategy
