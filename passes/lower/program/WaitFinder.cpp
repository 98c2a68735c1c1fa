// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each range of bytes has a list of runs. A run goes through the lists of its bytes from the latest
// run to the earliest. It may stop at a run that writes the whole range and that it waits for: that
// run has waited for all before it. What a run has waited for is not stored as a set, since a chain
// of n collectives would have n² members. It is searched in the graph of waits, no further back
// than the run in question.
#include "passes/lower/program/WaitFinder.h"

#include "llvm/ADT/DenseSet.h"

#include <queue>

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

/// The search of one run for what it waits for.
struct WaitFinder::Query {
  Query(WaitFinder &finder, unsigned entry, int64_t number)
      : finder(finder), run{entry, int64_t(finder.runsOf[entry].size()), number},
        stream(finder.entries[entry].stream) {}

  void find();
  /// Returns whether the run has waited for `other`, by what is known without a search.
  bool knows(int64_t other) const {
    return finder.runs[other].index < known.lookup(finder.runs[other].entry);
  }

  WaitFinder &finder;
  Run run;
  StreamKind stream;

private:
  /// A position in the runs of a cell.
  struct Cursor {
    const History *history;
    bool seesReads; ///< the querying run writes
    size_t writes, reads;

    int64_t latest() const {
      int64_t write = writes > 0 ? history->writes[writes - 1] : -1;
      int64_t read = seesReads && reads > 0 ? history->reads[reads - 1] : -1;
      return std::max(write, read);
    }
    bool isAtWrite() const { return writes > 0 && history->writes[writes - 1] == latest(); }
  };
  struct IsEarlier {
    bool operator()(const Cursor &a, const Cursor &b) const { return a.latest() < b.latest(); }
  };

  void addCursors();
  /// Waits for a run unless it is covered. Returns whether all for which it has waited is covered.
  bool resolve(int64_t other);
  bool isCovered(int64_t other);
  void learn(int64_t other);

  std::priority_queue<Cursor, std::vector<Cursor>, IsEarlier> cursors;
  llvm::SmallDenseMap<unsigned, int64_t, 4> known; ///< number of covered runs, by entry
  std::priority_queue<int64_t> frontier;           ///< covered runs that `known` may lack
  History ends;
};

/// Adds the runs of all bytes that the run touches. Runs for which COMPUTE has waited are removed
/// from the ends of the lists.
void WaitFinder::Query::addCursors() {
  for (const InstructionAccess &access : finder.entries[run.entry].accesses) {
    auto [first, end] = finder.cellsOf(access.range, run.number);
    for (auto it = first; it != end; ++it) {
      ++finder.steps;
      History &history = stream == StreamKind::Transfer ? it->second.all : it->second.open;
      if (stream != StreamKind::Transfer)
        for (auto *list : {&history.writes, &history.reads})
          while (!list->empty() && finder.isDone(list->back()))
            list->pop_back();
      Cursor cursor{&history, access.writes, history.writes.size(), history.reads.size()};
      if (cursor.latest() >= 0)
        cursors.push(cursor);
    }
  }
  for (unsigned other : finder.entries[run.entry].ends)
    if (!finder.runsOf[other].empty())
      ends.reads.push_back(finder.runsOf[other].back());
  llvm::sort(ends.reads);
  if (!ends.reads.empty())
    cursors.push({&ends, true, 0, ends.reads.size()});
}

void WaitFinder::Query::find() {
  addCursors();
  while (!cursors.empty()) {
    Cursor cursor = cursors.top();
    cursors.pop();
    ++finder.steps;
    int64_t other = cursor.latest();
    bool isAtWrite = cursor.isAtWrite();
    bool coversEarlier = resolve(other);
    // A transfer also waits for runs that a collective does not wait for, because COMPUTE did.
    StreamKind theirs = finder.entries[finder.runs[other].entry].stream;
    if (isAtWrite && coversEarlier &&
        (stream != StreamKind::Transfer || theirs == StreamKind::Transfer))
      continue;
    --(isAtWrite ? cursor.writes : cursor.reads);
    if (cursor.latest() >= 0)
      cursors.push(cursor);
  }
}

bool WaitFinder::Query::resolve(int64_t other) {
  const Run &awaited = finder.runs[other];
  if (awaited.entry == run.entry || (stream != StreamKind::Transfer && finder.isDone(other)))
    return false;
  // `known` names the last covered run of an entry. An earlier run may have waited for runs that
  // are not covered.
  if (isCovered(other))
    return known.lookup(awaited.entry) == awaited.index + 1;
  finder.wait(run, other);
  run.awaited.push_back(other);
  if (stream == StreamKind::Compute)
    finder.markDone(other);
  else
    learn(other);
  return true;
}

void WaitFinder::Query::learn(int64_t other) {
  const Run &learned = finder.runs[other];
  int64_t &count = known[learned.entry];
  count = std::max(count, learned.index + 1);
  for (int64_t awaited : learned.awaited)
    if (stream == StreamKind::Transfer || !finder.runs[awaited].isDone)
      frontier.push(awaited);
}

/// Waits name later runs before earlier ones, so the search ends at `other`.
bool WaitFinder::Query::isCovered(int64_t other) {
  while (!knows(other) && !frontier.empty() && frontier.top() >= other) {
    int64_t next = frontier.top();
    while (!frontier.empty() && frontier.top() == next)
      frontier.pop();
    ++finder.steps;
    learn(next);
  }
  return knows(other);
}

WaitFinder::WaitFinder(ArrayRef<WaitingEntry> entries)
    : entries(entries), hasTransfers(llvm::any_of(entries, [](const WaitingEntry &entry) {
        return entry.stream == StreamKind::Transfer;
      })) {
  restart();
}

void WaitFinder::restart() {
  runs.clear();
  runsOf.assign(entries.size(), {});
  done.assign(entries.size(), 0);
  lastCompute.reset();
  spaces.clear();
}

/// Returns the cell that begins at `at`, or the first one after it.
WaitFinder::Cells::iterator WaitFinder::splitAt(Cells &cells, int64_t at) {
  auto next = cells.lower_bound(at);
  if (next == cells.begin() || (next != cells.end() && next->first == at))
    return next;
  auto before = std::prev(next);
  if (before->second.end <= at)
    return next;
  auto split = cells.emplace_hint(next, at, before->second);
  before->second.end = at;
  return split;
}

/// Returns the cells of a range, which together cover all its bytes. An empty range has none.
std::pair<WaitFinder::Cells::iterator, WaitFinder::Cells::iterator>
WaitFinder::cellsOf(const ByteRange &range, int64_t number) {
  Cells &cells = spaces[range.space];
  int64_t begin = range.begin + number % range.depth * range.stride;
  int64_t end = begin + (range.end - range.begin);
  if (begin >= end)
    return {cells.end(), cells.end()};
  splitAt(cells, end);
  auto first = splitAt(cells, begin), next = first;
  for (int64_t at = begin; at < end; at = next->second.end, ++next) {
    if (next != cells.end() && next->first == at)
      continue;
    int64_t gapEnd = next == cells.end() ? end : std::min(end, next->first);
    next = cells.emplace_hint(next, at, Cell());
    next->second.end = gapEnd;
  }
  return {cells.find(begin), next};
}

void WaitFinder::wait(const Run &run, int64_t awaited) {
  const Run &other = runs[awaited];
  int64_t distance = run.number - other.number;
  auto [it, isNew] = waits.try_emplace({run.entry, other.entry});
  Wait &wait = it->second;
  wait.isUniform &= isNew || wait.distance == distance;
  wait.isLast &= other.index + 1 == int64_t(runsOf[other.entry].size());
  wait.distance = distance;
}

/// Marks a run for which COMPUTE waits, with all for which that run has waited.
void WaitFinder::markDone(int64_t run) {
  SmallVector<int64_t> rest{run};
  while (!rest.empty()) {
    Run &next = runs[rest.pop_back_val()];
    if (std::exchange(next.isDone, true))
      continue;
    ++steps;
    done[next.entry] = std::max(done[next.entry], next.index + 1);
    rest.append(next.awaited.begin(), next.awaited.end());
  }
}

/// Makes a transfer wait for the latest run of COMPUTE that conflicts with it.
void WaitFinder::findCompute(const Run &run) {
  int64_t latest = -1;
  for (const InstructionAccess &access : entries[run.entry].accesses) {
    auto [first, end] = cellsOf(access.range, run.number);
    for (auto it = first; it != end; ++it)
      latest =
          std::max(latest, access.writes ? it->second.lastCompute : it->second.lastComputeWrite);
  }
  if (latest >= 0)
    wait(run, latest);
}

void WaitFinder::run(unsigned entry, int64_t number) {
  Query query(*this, entry, number);
  query.find();
  if (query.stream == StreamKind::Transfer)
    findCompute(query.run);
  else if (query.stream == StreamKind::Communication && runsOf[entry].empty() && lastCompute)
    wait(query.run, runsOf[*lastCompute].back());
  if (query.stream == StreamKind::Compute)
    lastCompute = entry;
  auto order = int64_t(runs.size());
  runs.push_back(query.run);
  runsOf[entry].push_back(order);
  record(query, order);
}

/// Adds a run to the lists of its bytes. Cells in which only this run is left become one cell, so
/// that the number of cells does not grow where ranges change.
void WaitFinder::record(const Query &query, int64_t order) {
  for (const InstructionAccess &access : entries[query.run.entry].accesses) {
    auto [first, end] = cellsOf(access.range, query.run.number);
    bool isEqual = first != end;
    int64_t last = 0;
    for (auto it = first; it != end; ++it) {
      ++steps;
      isEqual &= recordIn(it->second, query, access.writes, order);
      last = it->second.end;
    }
    if (!isEqual)
      continue;
    first->second.end = last;
    spaces[access.range.space].erase(std::next(first), end);
  }
}

/// Adds a run to the lists of a cell and removes those that it makes superfluous: later runs that
/// conflict with them conflict with this one, too, and its waits cover them. Returns whether only
/// this run is left.
bool WaitFinder::recordIn(Cell &cell, const Query &query, bool writes, int64_t order) {
  auto add = [&](History &history) { (writes ? history.writes : history.reads).push_back(order); };
  if (query.stream == StreamKind::Compute) {
    cell.open.writes.clear();
    if (writes)
      cell.open.reads.clear();
    if (hasTransfers)
      (writes ? cell.lastComputeWrite : cell.lastCompute) = cell.lastCompute = order;
    return writes && !hasTransfers;
  }
  // An entry does not wait for its own earlier runs, so others must find what those wait for.
  bool replaces = writes && !entries[query.run.entry].repeats;
  if (replaces)
    cell.open = History();
  add(cell.open);
  compact(cell.open, /*dropsDone=*/true);
  if (!hasTransfers)
    return replaces;
  bool replacesAll = replaces && query.stream == StreamKind::Transfer;
  if (replacesAll)
    cell.all = History();
  else if (replaces)
    for (auto *list : {&cell.all.writes, &cell.all.reads})
      while (!list->empty() && query.knows(list->back()))
        list->pop_back();
  add(cell.all);
  compact(cell.all, /*dropsDone=*/false);
  return false;
}

/// Keeps the last run of each entry when the lists have doubled.
void WaitFinder::compact(History &history, bool dropsDone) const {
  if (history.writes.size() + history.reads.size() < history.compactAt)
    return;
  compact(history.writes, dropsDone);
  compact(history.reads, dropsDone);
  history.compactAt = 16 + 2 * (history.writes.size() + history.reads.size());
}

void WaitFinder::compact(SmallVectorImpl<int64_t> &list, bool dropsDone) const {
  llvm::SmallDenseSet<unsigned> found;
  SmallVector<int64_t> kept;
  for (int64_t run : llvm::reverse(list))
    if (found.insert(runs[run].entry).second && !(dropsDone && isDone(run)))
      kept.push_back(run);
  list.assign(kept.rbegin(), kept.rend());
}

} // namespace pcc::lower
