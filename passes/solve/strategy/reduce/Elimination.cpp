// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills one table per eliminated node, row by row. A row joins, for each option of the node, the
// matching rows of earlier tables and the edges. It drops entries over the capacity and dominated
// ones. Entries remember the entries that they join, so options are recovered from the last table
// backwards.
#include "passes/solve/strategy/reduce/Elimination.h"

#include <numeric>

namespace pcc::solve {

namespace {

/// Costs and usages of eliminated nodes, for each choice of the nodes in `scope`.
struct Table {
  std::vector<int> scope;          ///< nodes; the options of the last one are contiguous
  std::vector<int> segments;       ///< segments in which the total usage is not yet complete
  std::vector<size_t> fronts;      ///< first entry of each row, and the end
  std::vector<Cost> costs;         ///< by entry
  std::vector<int64_t> uses;       ///< by entry and segment
  std::vector<int32_t> options;    ///< by entry: option of the eliminated node
  std::vector<uint32_t> positions; ///< by entry and table of `below`: position in the row it joins
  std::vector<int> below;          ///< earlier tables that were joined into this one
  int node = -1;                   ///< the eliminated node
};

/// A table or edge that is read while the choices of a scope are enumerated.
struct Reader {
  const Table *table = nullptr;
  const CoreEdge *edge = nullptr;
  std::vector<size_t> strides; ///< by position in the scope; the eliminated node is the last
  size_t at = 0;
};

/// Entries of the row under construction.
struct Front {
  std::vector<Cost> costs;
  std::vector<int64_t> uses;
  std::vector<uint32_t> positions;
  std::vector<int32_t> options;

  size_t size() const { return costs.size(); }
  void clear() { costs.clear(), uses.clear(), positions.clear(), options.clear(); }
};

class Eliminator {
public:
  Eliminator(const Core &core, const std::vector<Segment> &segments, uint64_t budget,
             const Stop &stop)
      : core(core), segments(segments), budget(budget), stop(stop), useCounts(segments.size(), 0),
        tablesOf(core.nodes.size()), isDone(core.nodes.size(), false) {
    for (const CoreNode &node : core.nodes)
      for (const Term &term : node.terms)
        for (int64_t s = term.begin; s < term.end; ++s)
          ++useCounts[s];
  }

  EliminationResult run(const std::vector<int> &order) {
    EliminationResult result = eliminateInOrder(order);
    if (result.isFeasible)
      recoverRoots(result.options);
    return result;
  }

  /// Returns a result for each option of `copy`, which is not eliminated. An edge forces `copy` and
  /// the last node of `order` to have the same option.
  std::vector<EliminationResult> runForEach(const std::vector<int> &order, int copy) {
    EliminationResult all = eliminateInOrder(order);
    if (!all.isComplete)
      return {all};
    std::vector<EliminationResult> results(core.nodes[copy].size(), all);
    for (size_t option = 0; option < results.size() && all.isFeasible; ++option) {
      const std::vector<size_t> &rows = tables.back().fronts;
      results[option].isFeasible = rows[option] < rows[option + 1];
      if (!results[option].isFeasible)
        continue;
      results[option].options[copy] = static_cast<int32_t>(option);
      recoverRoots(results[option].options);
      recover(static_cast<int>(tables.size()) - 1, results[option].options);
    }
    return results;
  }

private:
  /// Eliminates all nodes. The options of the result are not set yet.
  EliminationResult eliminateInOrder(const std::vector<int> &order) {
    EliminationResult result;
    for (int node : order) {
      eliminate(node, /*isLast=*/node == order.back());
      result.entries = entries;
      if (isOver() || stop()) {
        result.reason = entries <= budget ? "the time was over"
                                          : "the tables would have more than " +
                                                std::to_string(budget) + " entries";
        return result;
      }
      if (tables.back().costs.empty()) {
        result.isComplete = true;
        return result;
      }
    }
    result.isComplete = result.isFeasible = true;
    result.options.assign(core.nodes.size(), 0);
    return result;
  }

  /// Whether the budget or the time is spent. Checks the clock only now and then.
  bool isOver() {
    constexpr uint64_t entriesBetween = 1'000'000;
    if (entries >= nextLook) {
      nextLook = entries + entriesBetween;
      isLate = stop();
    }
    return isLate || entries > budget;
  }

  void recoverRoots(std::vector<int32_t> &options) const {
    for (size_t t = 0; t < tables.size(); ++t)
      if (tables[t].scope.empty())
        recover(static_cast<int>(t), options);
  }

  void eliminate(int node, bool isLast) {
    Table made;
    made.node = node;
    std::vector<Reader> readers = collect(node, isLast, made);
    // A segment is settled if no other node or table uses it: its usage is final and is dropped.
    std::vector<int> all = made.segments;
    for (const Term &term : core.nodes[node].terms)
      for (int64_t s = term.begin; s < term.end; ++s)
        --useCounts[s];
    for (int t : made.below)
      for (int s : tables[t].segments)
        --useCounts[s];
    made.segments.clear();
    std::vector<char> isSettled;
    for (int s : all) {
      isSettled.push_back(useCounts[s] == 0);
      if (useCounts[s] > 0)
        made.segments.push_back(s);
    }
    for (int s : made.segments)
      ++useCounts[s];
    fill(made, readers, all, isSettled);
    int index = static_cast<int>(tables.size());
    isDone[node] = true;
    for (int other : made.scope)
      tablesOf[other].push_back(index);
    // The table depends on no node, but shares a segment with other tables. The next table without
    // a scope joins it.
    if (made.scope.empty() && !made.segments.empty())
      scopelessTables.push_back(index);
    tables.push_back(std::move(made));
  }

  /// Finds the edges and tables with `node`. Sets the scope, the segments and the tables below of
  /// `made`.
  std::vector<Reader> collect(int node, bool isLast, Table &made) {
    std::vector<int> scope;
    std::vector<Reader> readers;
    std::vector<int> used;
    for (const Term &term : core.nodes[node].terms)
      for (int64_t s = term.begin; s < term.end; ++s)
        used.push_back(static_cast<int>(s));
    for (int e : core.nodes[node].edges)
      if (int other = core.edges[e].other(node); !isDone[other]) {
        scope.push_back(other);
        readers.push_back({nullptr, &core.edges[e], {}, 0});
      }
    std::vector<int> below = tablesOf[node];
    for (int t : below)
      for (int other : tables[t].scope)
        if (other != node) {
          scope.push_back(other);
          std::vector<int> &list = tablesOf[other];
          list.erase(std::remove(list.begin(), list.end(), t), list.end());
        }
    if (scope.empty() || isLast) {
      below.insert(below.end(), scopelessTables.begin(), scopelessTables.end());
      scopelessTables.clear();
    }
    for (int t : below) {
      used.insert(used.end(), tables[t].segments.begin(), tables[t].segments.end());
      readers.push_back({&tables[t], nullptr, {}, 0});
    }
    auto unique = [](std::vector<int> &list) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    unique(scope);
    unique(used);
    made.below = std::move(below);
    made.scope = scope;
    made.segments = used;
    scope.push_back(node);
    for (Reader &reader : readers)
      setStrides(reader, scope);
    return readers;
  }

  void setStrides(Reader &reader, const std::vector<int> &scope) const {
    std::vector<int> own =
        reader.table ? reader.table->scope : std::vector<int>{reader.edge->u, reader.edge->v};
    reader.strides.assign(scope.size(), 0);
    size_t stride = 1;
    for (size_t k = own.size(); k-- > 0;) {
      size_t place = std::find(scope.begin(), scope.end(), own[k]) - scope.begin();
      reader.strides[place] = stride;
      stride *= core.nodes[own[k]].size();
    }
  }

  /// Fills the rows of `made` one by one.
  void fill(Table &made, std::vector<Reader> &readers, const std::vector<int> &all,
            const std::vector<char> &isSettled) {
    std::vector<int> sizes;
    for (int node : made.scope)
      sizes.push_back(core.nodes[node].size());
    std::vector<int> digits(sizes.size(), 0);
    Front row, entry, next;
    for (bool more = true; more && !isOver();) {
      made.fronts.push_back(made.costs.size());
      row.clear();
      for (int a = 0; a < core.nodes[made.node].size(); ++a)
        addOption(made, readers, all, a, row, entry, next);
      settle(row, all, isSettled, made);
      more = false;
      for (size_t k = digits.size(); k-- > 0 && !more;) {
        more = ++digits[k] < sizes[k];
        if (!more)
          digits[k] = 0;
        for (Reader &reader : readers)
          reader.at = more ? reader.at + reader.strides[k]
                           : reader.at - reader.strides[k] * size_t(sizes[k] - 1);
      }
    }
    made.fronts.push_back(made.costs.size());
  }

  /// Adds all entries with option `a` of the eliminated node to `row`.
  void addOption(const Table &made, const std::vector<Reader> &readers, const std::vector<int> &all,
                 int a, Front &row, Front &entry, Front &next) {
    const CoreNode &node = core.nodes[made.node];
    Cost cost = node.costs[a];
    for (const Reader &reader : readers)
      if (reader.edge)
        cost = add(cost, reader.edge->table[reader.at + reader.strides.back() * a]);
    if (cost >= kInfinite)
      return;
    entry.clear();
    entry.costs.push_back(cost);
    entry.uses.assign(all.size(), 0);
    for (const Term &term : node.terms)
      for (size_t d = 0; d < all.size(); ++d)
        if (all[d] >= term.begin && all[d] < term.end)
          entry.uses[d] += term.use[a];
    if (!fits(entry.uses.data(), all))
      return;
    for (const Reader &reader : readers) {
      if (!reader.table)
        continue;
      size_t line = reader.at + reader.strides.back() * a;
      combine(entry, *reader.table, line, all, next);
      std::swap(entry, next);
      if (entry.size() == 0)
        return;
    }
    size_t tables = made.below.size();
    for (size_t k = 0; k < entry.size(); ++k) {
      // Without usage only the entry with the lowest cost is kept.
      if (all.empty() && row.size() > 0) {
        if (entry.costs[k] < row.costs[0]) {
          row.costs[0] = entry.costs[k];
          row.options[0] = a;
          std::copy_n(entry.positions.begin(), tables, row.positions.begin());
        }
        continue;
      }
      row.costs.push_back(entry.costs[k]);
      row.options.push_back(a);
      row.uses.insert(row.uses.end(), entry.uses.begin() + k * all.size(),
                      entry.uses.begin() + (k + 1) * all.size());
      row.positions.insert(row.positions.end(), entry.positions.begin() + k * tables,
                           entry.positions.begin() + (k + 1) * tables);
    }
  }

  bool fits(const int64_t *uses, const std::vector<int> &all) const {
    for (size_t d = 0; d < all.size(); ++d)
      if (uses[d] > segments[all[d]].capacity)
        return false;
    return true;
  }

  /// Combines every entry of `left` with every entry of a row of `table`.
  void combine(const Front &left, const Table &table, size_t line, const std::vector<int> &all,
               Front &out) {
    out.clear();
    size_t own = table.segments.size(), width = all.size();
    std::vector<size_t> place;
    for (int s : table.segments)
      place.push_back(std::lower_bound(all.begin(), all.end(), s) - all.begin());
    size_t positions = left.size() ? left.positions.size() / left.size() : 0;
    for (size_t k = 0; k < left.size(); ++k)
      for (size_t e = table.fronts[line]; e < table.fronts[line + 1]; ++e) {
        size_t start = out.uses.size();
        out.uses.insert(out.uses.end(), left.uses.begin() + k * width,
                        left.uses.begin() + (k + 1) * width);
        for (size_t d = 0; d < own; ++d)
          out.uses[start + place[d]] += table.uses[e * own + d];
        if (!fits(out.uses.data() + start, all)) {
          out.uses.resize(start);
          continue;
        }
        out.costs.push_back(left.costs[k] + table.costs[e]);
        out.positions.insert(out.positions.end(), left.positions.begin() + k * positions,
                             left.positions.begin() + (k + 1) * positions);
        out.positions.push_back(uint32_t(e - table.fronts[line]));
        entries += width;
        if (isOver())
          return;
      }
  }

  /// Drops settled segments and dominated entries, and appends the remaining entries to the table.
  void settle(const Front &row, const std::vector<int> &all, const std::vector<char> &isSettled,
              Table &made) {
    size_t width = made.segments.size(), positions = made.below.size();
    std::vector<size_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return row.costs[a] < row.costs[b]; });
    size_t first = made.costs.size();
    std::vector<int64_t> kept(width);
    for (size_t k : order) {
      size_t to = 0;
      for (size_t d = 0; d < all.size(); ++d)
        if (!isSettled[d])
          kept[to++] = row.uses[k * all.size() + d];
      bool isDominated = false;
      for (size_t e = first; e < made.costs.size() && !isDominated; ++e) {
        isDominated = true;
        for (size_t d = 0; d < width && isDominated; ++d)
          isDominated = made.uses[e * width + d] <= kept[d];
      }
      if (isDominated)
        continue;
      made.costs.push_back(row.costs[k]);
      made.options.push_back(row.options[k]);
      made.uses.insert(made.uses.end(), kept.begin(), kept.end());
      made.positions.insert(made.positions.end(), row.positions.begin() + k * positions,
                            row.positions.begin() + (k + 1) * positions);
      entries += 1 + width;
    }
  }

  /// Sets the options of the nodes that table `root` and the tables below it eliminated. Starts
  /// from the first entry of the row that `options` selects.
  void recover(int root, std::vector<int32_t> &options) const {
    if (isBelowAnother(root))
      return;
    std::vector<std::pair<int, size_t>> open{{root, 0}}; // table, position in its row
    while (!open.empty()) {
      auto [t, place] = open.back();
      open.pop_back();
      const Table &table = tables[t];
      size_t line = 0;
      for (int node : table.scope)
        line = line * core.nodes[node].size() + options[node];
      size_t entry = table.fronts[line] + place;
      options[table.node] = table.options[entry];
      for (size_t k = 0; k < table.below.size(); ++k)
        open.emplace_back(table.below[k], table.positions[entry * table.below.size() + k]);
    }
  }

  bool isBelowAnother(int index) const {
    for (size_t t = index + 1; t < tables.size(); ++t)
      if (std::find(tables[t].below.begin(), tables[t].below.end(), index) != tables[t].below.end())
        return true;
    return false;
  }

  const Core &core;
  const std::vector<Segment> &segments;
  uint64_t budget;
  const Stop &stop;
  std::vector<int> useCounts;             ///< by segment: number of terms and tables that use it
  std::vector<std::vector<int>> tablesOf; ///< by node: tables with the node in their scope
  std::vector<int> scopelessTables;       ///< tables without scope that still use segments
  std::vector<char> isDone;
  std::vector<Table> tables;
  uint64_t entries = 0, nextLook = 0;
  bool isLate = false; ///< at the last check of the clock
};

} // namespace

/// Finds an order. The result states why the tables would be too large, or is empty.
static EliminationResult tryOrder(const Core &core, uint64_t budget, std::vector<int> &order) {
  EliminationResult result;
  double entries = 0;
  order = eliminationOrder(core, entries);
  if (entries > double(budget))
    result.reason = "the tables would have more than " + std::to_string(budget) + " entries";
  return result;
}

EliminationResult eliminateAll(const Core &core, const std::vector<Segment> &segments,
                               uint64_t budget, const Stop &stop) {
  std::vector<int> order;
  EliminationResult result = tryOrder(core, budget, order);
  return result.reason.empty() ? Eliminator(core, segments, budget, stop).run(order) : result;
}

/// Adds a node without costs that always has the option of the kept node.
static int tieCopy(Core &core) {
  int copy = static_cast<int>(core.nodes.size()), edge = static_cast<int>(core.edges.size());
  size_t options = core.nodes[core.kept].size();
  std::vector<Cost> table(options * options, kInfinite);
  for (size_t option = 0; option < options; ++option)
    table[option * (options + 1)] = 0;
  core.nodes.push_back({std::vector<Cost>(options, 0), {}, {edge}});
  core.nodes[core.kept].edges.push_back(edge);
  core.edges.push_back({core.kept, copy, std::move(table)});
  return copy;
}

std::vector<EliminationResult> eliminateForEach(Core core, const std::vector<Segment> &segments,
                                                uint64_t budget, const Stop &stop) {
  std::vector<int> order;
  EliminationResult result = tryOrder(core, budget, order);
  if (!result.reason.empty())
    return {result};
  int copy = tieCopy(core);
  std::vector<EliminationResult> results =
      Eliminator(core, segments, budget, stop).runForEach(order, copy);
  for (EliminationResult &each : results)
    if (each.isFeasible)
      each.options.pop_back(); // option of the copy
  return results;
}

} // namespace pcc::solve
