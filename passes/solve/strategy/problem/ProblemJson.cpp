// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON form of the contest. Problems have ten million numbers, so they are read directly into
// arrays. Keys may come in any order; unknown keys are skipped.

#include "passes/solve/strategy/problem/Cursor.h"
#include "passes/solve/strategy/problem/ProblemFile.h"
#include <algorithm>

namespace pcc::solve {

namespace {

/// Lists of numbers, concatenated in one array.
struct Lists {
  std::vector<int64_t> figures;
  std::vector<size_t> ends;

  size_t size() const { return ends.size(); }
  size_t begin(size_t i) const { return i ? ends[i - 1] : 0; }
  size_t length(size_t i) const { return ends[i] - begin(i); }
  std::vector<int64_t> copy(size_t i) const {
    return {figures.begin() + begin(i), figures.begin() + ends[i]};
  }
};

class JsonReader {
public:
  explicit JsonReader(std::string_view text) : cursor(text) {}

  abi::Expected<StrategyProblem> read() {
    members([&](std::string_view key) {
      if (key != "problem")
        return skipValue();
      return members([&](std::string_view key) { return readProblemMember(key); });
    });
    if (cursor.ok() && !cursor.atEnd())
      cursor.fail("expected the end, got " + cursor.describeHere());
    if (!cursor.ok())
      return cursor.status();
    return assemble();
  }

private:
  /// Parses `{"key": value, …}`; `readValue(key)` reads a value.
  template <typename ReadValue> bool members(ReadValue readValue) {
    if (!cursor.expect('{'))
      return false;
    if (cursor.accept('}'))
      return true;
    do {
      std::string key;
      if (!string(key) || !cursor.expect(':') || !readValue(std::string_view(key)))
        return false;
    } while (cursor.accept(','));
    return cursor.expect('}');
  }

  bool readProblemMember(std::string_view key) {
    if (key == "name")
      return string(problem.name);
    if (key == "usage_limit")
      return cursor.integer(problem.usageLimit);
    if (key == "nodes")
      return members([&](std::string_view key) {
        return key == "intervals" ? lists(intervals)
               : key == "costs"   ? lists(costs)
               : key == "usages"  ? lists(usages)
                                  : skipValue();
      });
    if (key == "edges")
      return members([&](std::string_view key) {
        return key == "nodes" ? lists(ends) : key == "costs" ? lists(tables) : skipValue();
      });
    return skipValue();
  }

  /// Parses `[[1, 2], [3], …]`.
  bool lists(Lists &into) {
    into = {};
    if (!cursor.expect('['))
      return false;
    if (cursor.accept(']'))
      return true;
    do {
      if (!list(into))
        return false;
    } while (cursor.accept(','));
    return cursor.expect(']');
  }

  bool list(Lists &into) {
    if (!cursor.expect('['))
      return false;
    if (!cursor.accept(']')) {
      do {
        int64_t figure;
        if (!cursor.integer(figure))
          return false;
        into.figures.push_back(figure);
      } while (cursor.accept(','));
      if (!cursor.expect(']'))
        return false;
    }
    into.ends.push_back(into.figures.size());
    return true;
  }

  /// Parses a string. Of an escape only the character after the backslash is kept.
  bool string(std::string &value) {
    if (!cursor.expect('"'))
      return false;
    value.clear();
    while (cursor.at < cursor.text.size() && cursor.text[cursor.at] != '"') {
      if (cursor.text[cursor.at] == '\\' && ++cursor.at == cursor.text.size())
        break;
      value.push_back(cursor.text[cursor.at++]);
    }
    if (cursor.at >= cursor.text.size())
      return cursor.fail("expected '\"', got the end");
    ++cursor.at;
    return true;
  }

  /// Skips any value without recursion, so that a deep file cannot exhaust the stack.
  bool skipValue() {
    int64_t depth = 0; // a file may have more brackets than 32 bits count
    do {
      char c = cursor.peek();
      if (c == '\0')
        return cursor.fail("expected a value, got the end");
      if (c == '"') {
        std::string ignored;
        if (!string(ignored))
          return false;
      } else {
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth < 0)
          return cursor.fail("expected a value, got " + cursor.describeHere());
        ++cursor.at;
        if (depth == 0 && c != '}' && c != ']')
          skipScalar();
      }
    } while (depth > 0);
    return true;
  }

  /// Skips the rest of a number, `true`, `false` or `null`.
  void skipScalar() {
    while (cursor.at < cursor.text.size() &&
           std::string_view(",}] \n\t\r").find(cursor.text[cursor.at]) == std::string_view::npos)
      ++cursor.at;
  }

  abi::Expected<StrategyProblem> assemble() {
    if (costs.size() != intervals.size() || usages.size() != intervals.size())
      return abi::Status::badInput("expected as many intervals as costs and usages, got " +
                                   std::to_string(intervals.size()) + ", " +
                                   std::to_string(costs.size()) + " and " +
                                   std::to_string(usages.size()));
    if (ends.size() != tables.size())
      return abi::Status::badInput("expected as many pairs of nodes as tables of costs, got " +
                                   std::to_string(ends.size()) + " and " +
                                   std::to_string(tables.size()));
    for (size_t i = 0; i < intervals.size(); ++i) {
      if (intervals.length(i) != 2)
        return abi::Status::badInput("node " + std::to_string(i) +
                                     ": expected an interval of 2, got " +
                                     std::to_string(intervals.length(i)));
      const int64_t *interval = &intervals.figures[intervals.begin(i)];
      problem.nodes.push_back({interval[0], interval[1], costs.copy(i), usages.copy(i)});
    }
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends.length(i) != 2)
        return abi::Status::badInput("edge " + std::to_string(i) + ": expected 2 nodes, got " +
                                     std::to_string(ends.length(i)));
      const int64_t *pair = &ends.figures[ends.begin(i)];
      for (int64_t end : {pair[0], pair[1]})
        if (end < 0 || end >= static_cast<int64_t>(problem.nodes.size()))
          return abi::Status::badInput("edge " + std::to_string(i) + ": expected a node below " +
                                       std::to_string(problem.nodes.size()) + ", got " +
                                       std::to_string(end));
      problem.edges.push_back(
          {static_cast<int>(pair[0]), static_cast<int>(pair[1]), tables.copy(i)});
    }
    if (std::string error = check(problem); !error.empty())
      return abi::Status::badInput(error);
    return std::move(problem);
  }

  Cursor cursor;
  StrategyProblem problem;
  Lists intervals, costs, usages, ends, tables;
};

/// Appends `[a,b]` to `out`.
void printList(std::string &out, const std::vector<int64_t> &figures) {
  out += '[';
  for (size_t i = 0; i < figures.size(); ++i)
    out.append(i ? "," : "").append(std::to_string(figures[i]));
  out += ']';
}

/// Appends `"key":[[…],…]`, with a list for each of `items`.
template <typename Items, typename ToList>
void printLists(std::string &out, const char *key, const Items &items, ToList toList) {
  out.append("\"").append(key).append("\":[");
  for (size_t i = 0; i < items.size(); ++i) {
    out += i ? ",\n" : "\n";
    printList(out, toList(items[i]));
  }
  out += ']';
}

} // namespace

abi::Expected<StrategyProblem> parseProblemJson(std::string_view text) {
  return JsonReader(text).read();
}

std::string printProblemJson(const StrategyProblem &problem) {
  using List = std::vector<int64_t>;
  std::string name;
  for (char c : problem.name)
    name.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
  std::string out = "{\"problem\":{\"name\":\"" + name + "\",\"nodes\":{";
  printLists(out, "intervals", problem.nodes,
             [](const StrategyNode &n) { return List{n.begin, n.end}; });
  out += ",\n";
  printLists(out, "costs", problem.nodes, [](const StrategyNode &n) { return n.costs; });
  out += ",\n";
  printLists(out, "usages", problem.nodes, [](const StrategyNode &n) { return n.usages; });
  out += "},\"edges\":{";
  printLists(out, "nodes", problem.edges, [](const StrategyEdge &e) { return List{e.u, e.v}; });
  out += ",\n";
  printLists(out, "costs", problem.edges, [](const StrategyEdge &e) { return e.costs.list(); });
  out += "},\"usage_limit\":" + std::to_string(problem.usageLimit) + "}}\n";
  return out;
}

} // namespace pcc::solve
