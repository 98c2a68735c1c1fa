// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form of problems, one statement per line. Errors contain the line.

#include "passes/solve/strategy/problem/Cursor.h"
#include "passes/solve/strategy/problem/ProblemFile.h"
#include <unordered_map>

namespace pcc::solve {

namespace {

class TextReader {
public:
  abi::Expected<StrategyProblem> read(std::string_view text) {
    size_t number = 1;
    for (size_t from = 0; from <= text.size(); ++number) {
      size_t end = std::min(text.find('\n', from), text.size());
      std::string_view line = text.substr(from, end - from);
      if (abi::Status status = statement(line.substr(0, line.find('#'))); !status.ok())
        return std::move(status).within("line " + std::to_string(number));
      from = end + 1;
    }
    if (std::string error = check(problem); !error.empty())
      return abi::Status::badInput(error);
    return std::move(problem);
  }

private:
  static abi::Status bad(std::string message) { return abi::Status::badInput(std::move(message)); }

  abi::Status statement(std::string_view line) {
    Cursor cursor(line);
    if (cursor.atEnd())
      return {};
    std::string_view verb = cursor.word();
    if (verb == "node")
      return node(cursor);
    if (verb == "edge")
      return edge(cursor);
    if (verb == "limit")
      return cursor.integer(problem.usageLimit) ? abi::Status() : within(cursor);
    if (verb == "problem") {
      cursor.skipSpace();
      problem.name = line.substr(cursor.at);
      return {};
    }
    return bad("expected 'problem', 'limit', 'node' or 'edge', got '" + std::string(verb) + "'");
  }

  /// Parses `NAME [BEGIN,END) COST:USE …`.
  abi::Status node(Cursor &cursor) {
    StrategyNode node;
    node.name = cursor.word();
    if (node.name.empty())
      return bad("expected the name of the node");
    if (!byName.emplace(node.name, static_cast<int>(problem.nodes.size())).second)
      return bad("node '" + node.name + "' is there twice");
    if (cursor.accept('[') && !(cursor.integer(node.begin) && cursor.expect(',') &&
                                cursor.integer(node.end) && cursor.expect(')')))
      return within(cursor);
    while (!cursor.atEnd()) {
      int64_t use = 0;
      if (!cost(cursor, node.costs.emplace_back()) || (cursor.accept(':') && !cursor.integer(use)))
        return within(cursor);
      node.usages.push_back(use);
    }
    if (node.costs.empty()) // edges rely on an option
      return bad("'" + node.name + "': expected at least one option");
    problem.nodes.push_back(std::move(node));
    return {};
  }

  /// Parses `NAME NAME COST … / COST …`.
  abi::Status edge(Cursor &cursor) {
    StrategyEdge edge;
    for (int *end : {&edge.u, &edge.v}) {
      std::string name(cursor.word());
      auto found = byName.find(name);
      if (found == byName.end())
        return bad("expected the name of a node above, got '" + name + "'");
      *end = found->second;
    }
    size_t width = problem.nodes[edge.v].size();
    std::vector<int64_t> costs;
    while (!cursor.atEnd()) {
      if (!cost(cursor, costs.emplace_back()))
        return within(cursor);
      if (cursor.accept('/') && costs.size() % width != 0)
        return bad("expected " + std::to_string(width) + " costs in a row");
    }
    edge.costs = std::move(costs);
    problem.edges.push_back(std::move(edge));
    return {};
  }

  static bool cost(Cursor &cursor, int64_t &value) {
    if (cursor.accept('x')) {
      value = kForbidden;
      return true;
    }
    return cursor.integer(value);
  }

  /// Returns the cursor's error without its line number.
  static abi::Status within(const Cursor &cursor) {
    std::string text = cursor.status().message();
    return bad(text.substr(text.find("column")));
  }

  StrategyProblem problem;
  std::unordered_map<std::string, int> byName;
};

std::string printCost(int64_t cost) { return cost >= kForbidden ? "x" : std::to_string(cost); }

/// Returns the names of the nodes, or numbers if the names cannot be read back.
std::vector<std::string> printableNames(const StrategyProblem &problem) {
  std::vector<std::string> names;
  std::unordered_map<std::string, int> count;
  bool isUsable = true;
  for (const StrategyNode &node : problem.nodes)
    isUsable = isUsable && !node.name.empty() && ++count[node.name] == 1 &&
               node.name.find_first_of(" #\n\t\r") == std::string::npos;
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    names.push_back(isUsable ? problem.nodes[i].name : std::to_string(i));
  return names;
}

} // namespace

abi::Expected<StrategyProblem> parseProblemText(std::string_view text) {
  return TextReader().read(text);
}

std::string printProblemText(const StrategyProblem &problem) {
  std::string out;
  if (!problem.name.empty())
    out += "problem " + problem.name + "\n";
  if (problem.usageLimit != std::numeric_limits<int64_t>::max())
    out += "limit " + std::to_string(problem.usageLimit) + "\n";
  std::vector<std::string> names = printableNames(problem);
  for (size_t i = 0; i < names.size(); ++i) {
    const StrategyNode &node = problem.nodes[i];
    out += "node " + names[i] + " [" + std::to_string(node.begin) + "," + std::to_string(node.end) +
           ")";
    for (size_t j = 0; j < node.size(); ++j)
      out += " " + printCost(node.costs[j]) + ":" + std::to_string(node.usages[j]);
    out += "\n";
  }
  for (const StrategyEdge &edge : problem.edges) {
    out += "edge " + names[edge.u] + " " + names[edge.v] + " ";
    size_t width = problem.nodes[edge.v].size();
    for (size_t j = 0; j < edge.costs.size(); ++j)
      out += (j && j % width == 0 ? " / " : " ") + printCost(edge.costs[j]);
    out += "\n";
  }
  return out;
}

} // namespace pcc::solve
