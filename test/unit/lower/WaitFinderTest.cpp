// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits of random programs, compared with a search over all pairs of entries, and the work for
// chains of many collectives.

#include "passes/lower/program/WaitFinder.h"

#include <gtest/gtest.h>
#include <random>

using namespace pcc::lower;
using pcc::task::Space;
using pcc::task::StreamKind;

namespace {

/// The definition: every run looks at the runs of all other entries, and has a set of the runs for
/// which it has waited.
class AllPairs {
public:
  explicit AllPairs(llvm::ArrayRef<WaitingEntry> entries)
      : entries(entries), runs(entries.size()), done(entries.size()) {}

  void run(unsigned index, int64_t number) {
    StreamKind stream = entries[index].stream;
    Run run{number, order++, {}};
    for (auto [before, other, at] : findAwaited(index, number)) {
      size_t covered = std::max(run.known[other], stream == StreamKind::Compute ? done[other] : 0);
      if (at < covered)
        continue;
      wait(index, number, other, at);
      std::map<unsigned, size_t> learned = runs[other][at].known;
      learned[other] = std::max(learned[other], at + 1);
      for (auto [entry, count] : learned) {
        run.known[entry] = std::max(run.known[entry], count);
        if (stream == StreamKind::Compute)
          done[entry] = std::max(done[entry], count);
      }
    }
    if (stream == StreamKind::Transfer)
      waitForCompute(index, number);
    else if (stream == StreamKind::Communication && runs[index].empty() && lastCompute)
      wait(index, number, *lastCompute, runs[*lastCompute].size() - 1);
    if (stream == StreamKind::Compute)
      lastCompute = index;
    runs[index].push_back(run);
  }

  Waits waits;

private:
  struct Run {
    int64_t number, order;
    std::map<unsigned, size_t> known; ///< number of runs, by entry
  };
  struct Awaited {
    int64_t order;
    unsigned entry;
    size_t run;
  };

  bool conflict(unsigned a, int64_t number, unsigned b, int64_t theirs) const {
    for (const InstructionAccess &x : entries[a].accesses)
      for (const InstructionAccess &y : entries[b].accesses)
        if ((x.writes || y.writes) && x.range.overlaps(number, y.range, theirs))
          return true;
    return false;
  }

  /// Returns the last conflicting run of another entry, from run `from` on.
  std::optional<size_t> findLast(unsigned index, int64_t number, unsigned other, size_t from) {
    for (size_t run = runs[other].size(); run-- > from;)
      if (conflict(index, number, other, runs[other][run].number))
        return run;
    return std::nullopt;
  }

  std::vector<Awaited> findAwaited(unsigned index, int64_t number) {
    std::vector<Awaited> found;
    for (unsigned other = 0; other < entries.size(); ++other) {
      if (other == index || entries[other].stream == StreamKind::Compute)
        continue;
      size_t from = entries[index].stream == StreamKind::Transfer ? 0 : done[other];
      if (auto run = findLast(index, number, other, from))
        found.push_back({runs[other][*run].order, other, *run});
    }
    for (unsigned other : entries[index].ends)
      if (runs[other].size() > done[other])
        found.push_back({runs[other].back().order, other, runs[other].size() - 1});
    llvm::sort(found, [](const Awaited &a, const Awaited &b) { return a.order > b.order; });
    return found;
  }

  void waitForCompute(unsigned index, int64_t number) {
    std::optional<Awaited> latest;
    for (unsigned other = 0; other < entries.size(); ++other)
      if (entries[other].stream == StreamKind::Compute)
        if (auto run = findLast(index, number, other, 0))
          if (!latest || runs[other][*run].order > latest->order)
            latest = {runs[other][*run].order, other, *run};
    if (latest)
      wait(index, number, latest->entry, latest->run);
  }

  void wait(unsigned index, int64_t number, unsigned other, size_t run) {
    int64_t distance = number - runs[other][run].number;
    auto [it, isNew] = waits.try_emplace({index, other});
    it->second.isUniform &= isNew || it->second.distance == distance;
    it->second.isLast &= run + 1 == runs[other].size();
    it->second.distance = distance;
  }

  llvm::ArrayRef<WaitingEntry> entries;
  std::vector<std::vector<Run>> runs;
  std::vector<size_t> done;
  std::optional<unsigned> lastCompute;
  int64_t order = 0;
};

struct RandomProgram {
  std::vector<WaitingEntry> entries;
  std::vector<std::pair<unsigned, int64_t>> runs; ///< entry and number
};

InstructionAccess makeAccess(std::mt19937 &random, int64_t bytes) {
  auto below = [&](int64_t n) { return int64_t(random() % n); };
  InstructionAccess access;
  access.range.space = below(4) ? Space::Temporary : Space::Persistent;
  access.range.begin = below(bytes);
  access.range.end = access.range.begin + 1 + below(bytes / 3);
  if (below(3) == 0) {
    access.range.depth = 2 + below(3);
    access.range.stride = access.range.end - access.range.begin + below(3);
  }
  access.writes = below(2);
  access.reads = !access.writes || below(2);
  return access;
}

/// Returns sections of entries, and actions that run some of them several times.
RandomProgram makeProgram(std::mt19937 &random) {
  auto below = [&](int64_t n) { return int64_t(random() % n); };
  RandomProgram program;
  int64_t kinds = 2 + below(2), bytes = 6 + below(40), microbatches = 1 + below(6);
  std::vector<std::pair<unsigned, unsigned>> sections;
  for (int64_t section = 0, count = 1 + below(3); section < count; ++section) {
    unsigned first = program.entries.size();
    for (int64_t i = 0, size = 1 + below(8); i < size; ++i) {
      WaitingEntry entry{StreamKind(below(kinds)), {}};
      for (int64_t access = 0, accesses = 1 + below(3); access < accesses; ++access)
        entry.accesses.push_back(makeAccess(random, bytes));
      program.entries.push_back(entry);
    }
    unsigned end = program.entries.size();
    if (program.entries.back().stream == StreamKind::Compute)
      for (unsigned other = first; other + 1 < end; ++other)
        if (program.entries[other].stream == StreamKind::Communication && below(4) == 0)
          program.entries.back().ends.push_back(other);
    sections.push_back({first, end});
  }
  std::vector<int64_t> numbers(sections.size());
  for (int64_t action = 0, actions = microbatches * int64_t(sections.size()); action < actions;
       ++action) {
    int64_t section = below(int64_t(sections.size()));
    for (unsigned entry = sections[section].first; entry < sections[section].second; ++entry)
      program.runs.push_back({entry, numbers[section]});
    ++numbers[section];
  }
  for (auto [section, number] : llvm::zip_equal(sections, numbers))
    for (unsigned entry = section.first; entry < section.second; ++entry)
      program.entries[entry].repeats = number > 1;
  return program;
}

std::string print(const Waits &waits) {
  std::string text;
  for (auto &[pair, wait] : waits)
    text += std::to_string(pair.first) + " for " + std::to_string(pair.second) +
            (wait.isUniform ? " uniform" : "") + (wait.isLast ? " last " : " ") +
            std::to_string(wait.distance) + "\n";
  return text;
}

TEST(WaitFinder, EqualsAllPairs) {
  int64_t found = 0, empty = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    std::mt19937 random(seed);
    RandomProgram program = makeProgram(random);
    AllPairs expected(program.entries);
    WaitFinder finder(program.entries);
    for (auto [entry, number] : program.runs) {
      expected.run(entry, number);
      finder.run(entry, number);
    }
    ASSERT_EQ(print(finder.getWaits()), print(expected.waits)) << "seed " << seed;
    found += int64_t(expected.waits.size());
    empty += expected.waits.empty();
  }
  EXPECT_GT(found, 10000);
  EXPECT_LT(empty, 1500);
}

InstructionAccess access(int64_t begin, bool writes) {
  return {{Space::Temporary, begin, begin + 64}, !writes, writes};
}

/// Runs all entries once and returns the steps of the search.
int64_t countSteps(llvm::ArrayRef<WaitingEntry> entries) {
  WaitFinder finder(entries);
  for (unsigned entry = 0; entry < entries.size(); ++entry)
    finder.run(entry, 0);
  EXPECT_GE(finder.getWaits().size(), entries.size() / 2);
  return finder.getSteps();
}

/// Makes `count` collectives in one buffer, each with a reader in COMPUTE if `alternates`.
std::vector<WaitingEntry> makeChain(int64_t count, bool alternates) {
  std::vector<WaitingEntry> entries;
  for (int64_t i = 0; i < count; ++i) {
    entries.push_back({StreamKind::Communication, {access(0, true)}, {}, false});
    if (alternates)
      entries.push_back({StreamKind::Compute, {access(0, false), access(64, true)}, {}, false});
  }
  return entries;
}

/// Makes `count` collectives that repeat and write one buffer, after one that writes its first
/// half. So both halves have a list of the runs.
std::vector<WaitingEntry> makeSplitChain(int64_t count) {
  std::vector<WaitingEntry> entries;
  InstructionAccess whole{{Space::Temporary, 0, 128}, false, true};
  entries.push_back({StreamKind::Communication, {access(0, true)}, {}, true});
  for (int64_t i = 0; i < count; ++i)
    entries.push_back({StreamKind::Communication, {whole}, {}, true});
  return entries;
}

/// Makes `count` collectives in buffers of their own, and then the readers of their results.
std::vector<WaitingEntry> makeIndependent(int64_t count) {
  std::vector<WaitingEntry> entries;
  for (int64_t i = 0; i < count; ++i) {
    entries.push_back({StreamKind::Compute, {access(64 * i, true)}, {}, false});
    entries.push_back({StreamKind::Communication, {access(64 * i, true)}, {}, false});
  }
  for (int64_t i = 0; i < count; ++i)
    entries.push_back({StreamKind::Compute, {access(64 * i, false)}, {}, false});
  return entries;
}

TEST(WaitFinder, WorkGrowsWithTheProgram) {
  constexpr int64_t count = 50000;
  EXPECT_LT(countSteps(makeChain(count, false)), 20 * count);
  EXPECT_LT(countSteps(makeChain(count, true)), 40 * count);
  EXPECT_LT(countSteps(makeSplitChain(count / 10)), 4 * count);
  EXPECT_LT(countSteps(makeIndependent(count)), 40 * count);
}

} // namespace
