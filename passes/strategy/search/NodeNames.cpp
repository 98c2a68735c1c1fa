// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for a name among the names in the ops' locations first, then among the unique names.
// Similar names have a small edit distance, contain all words of the name, or are ops of the module
// of this name.
#include "passes/strategy/search/NodeNames.h"

#include "dialects/graph/Roles.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <set>

using namespace mlir;
using namespace pcc;
using pcc::graph::RoleKind;

namespace pcc::strategy {

static std::string nameBoundary(const SearchNode &node) {
  std::string name = graph::getName(node.role).str();
  return node.role.getKind() == RoleKind::Gradient ? "gradient " + name : name;
}

std::vector<std::string> nameNodes(const SearchGraph &graph) {
  std::vector<std::string> names;
  llvm::StringMap<unsigned> seen;
  for (const SearchNode &node : graph.nodes) {
    std::string &name = names.emplace_back();
    if (node.kind == SearchNode::Kind::Boundary)
      name = nameBoundary(node);
    if (node.kind != SearchNode::Kind::Op)
      continue;
    name = analysis::getName(node.op).str();
    if (unsigned number = seen[name]++)
      name += "#" + std::to_string(number);
  }
  return names;
}

std::optional<unsigned> findNode(const SearchGraph &graph, StringRef name) {
  std::optional<unsigned> best;
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    if (node.op && llvm::is_contained(analysis::getNames(node.op), name) &&
        (!best || analysis::costOf(node.op).flops > analysis::costOf(graph.nodes[*best].op).flops))
      best = index;
  if (best)
    return best;
  std::vector<std::string> names = nameNodes(graph);
  auto found = llvm::find(names, name);
  if (name.empty() || found == names.end())
    return std::nullopt;
  return found - names.begin();
}

/// Splits `/layer3/MatMul_1` into layer, 3, matmul, 1.
static std::set<std::string> listWords(StringRef name) {
  std::set<std::string> words;
  while (!name.empty()) {
    auto isKind = llvm::isDigit(name.front()) ? llvm::isDigit : llvm::isAlpha;
    std::string word = name.take_while(isKind).lower();
    name = name.drop_front(std::max<size_t>(word.size(), 1));
    if (!word.empty())
      words.insert(std::move(word));
  }
  return words;
}

/// Returns whether `other` is an op of the module `name`, as `layers.7.up/matmul` is one of
/// `layers.7.up`. Ops of the backward pass and further ops of the same name are left out.
static bool isInModule(StringRef name, StringRef other) {
  return other.consume_front(name) && other.consume_front("/") &&
         llvm::all_of(other, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Returns the edit distance of two names, 0 for an op of the module `name`. If `other` contains
/// all words of `name`, returns the number of additional words if that is smaller.
static unsigned getDistance(StringRef name, StringRef other) {
  if (isInModule(name, other))
    return 0;
  std::set<std::string> words = listWords(name), others = listWords(other);
  unsigned letters = StringRef(name.lower()).edit_distance(other.lower());
  if (words.empty() || !llvm::set_is_subset(words, others))
    return letters;
  return std::min<unsigned>(letters, others.size() - words.size());
}

std::vector<std::string> findNearNames(const SearchGraph &graph, StringRef name) {
  std::set<std::pair<unsigned, std::string>> near;
  for (const std::string &other : nameNodes(graph))
    if (unsigned distance = getDistance(name, other);
        !other.empty() && distance * 2 <= std::max(name.size(), other.size()))
      near.emplace(distance, other);
  std::vector<std::string> names;
  constexpr size_t maxShown = 3;
  for (const auto &[distance, other] : near)
    if (names.size() < maxShown)
      names.push_back(other);
  return names;
}

} // namespace pcc::strategy
