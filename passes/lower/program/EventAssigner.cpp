// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders instructions by events, by going through the actions of a step as a rank does.
// Instructions of the stream COMPUTE run one after the other. Two instructions of other streams, or
// one of another stream and one of COMPUTE, conflict if they touch the same bytes and one of them
// writes. Then the later one waits for the earlier one:
//
// * An instruction waits for conflicting collectives and transfers that have not been waited for,
//   the latest first. A wait for an instruction covers everything for which that instruction has
//   waited.
// * A transfer waits for the last conflicting instruction of COMPUTE before it. A collective waits
//   for the last instruction of COMPUTE, because it begins with its action anyway.
//
// In a ring buffer, only accesses to the same entry conflict. The writer of entry 0 of three for
// microbatch 3 waits for the readers of microbatch 0, not for the latest readers (`task.behind`).
#include "passes/lower/program/Program.h"

#include "dialects/task/InstructionAttrs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

namespace {

/// Number of completed runs, by entry of a collective or transfer.
using Done = llvm::SmallDenseMap<unsigned, size_t, 4>;

/// One execution of an entry, in one action.
struct Run {
  int64_t number = 0; ///< index into rings
  int64_t order = 0;  ///< position among all runs
  Done known;         ///< runs done before it begins, besides those that COMPUTE knows
};

/// An instruction, or several in one fused collective: the first waits, the last signals.
struct Entry {
  SmallVector<Operation *, 1> instructions;
  StreamKind stream = StreamKind::Compute;
  SmallVector<InstructionAccess> accesses;
  /// Entries for which this one may have to wait: collectives and transfers; for a transfer also
  /// COMPUTE.
  SmallVector<unsigned> conflicting;
  /// Collectives that read the inputs, for the last COMPUTE instruction of a section with several
  /// actions. The rank's thread replaces the inputs for the next action.
  SmallVector<unsigned> ends;
  std::vector<Run> runs;
};

/// A run for which another run waits.
struct Awaited {
  unsigned entry = 0;
  size_t run = 0;
  int64_t order = 0;
};

/// Wait of one entry for another, over all actions.
struct Wait {
  bool isUniform = true;
  bool isLast = true;   ///< it was the last run of the other entry each time
  int64_t distance = 0; ///< difference of the runs' numbers
};

class EventAssigner {
public:
  explicit EventAssigner(ProgramOp program) : program(program) {}
  void run();

private:
  void collect();
  void addInstruction(InstructionOpInterface instruction);
  void finishInputReaders(unsigned first, unsigned end);
  void findConflicting();
  void restart();
  void runSection(StringRef name, int64_t number);
  void runEntry(unsigned entry, int64_t number);
  SmallVector<Awaited> findAwaited(unsigned entry, int64_t number) const;
  std::optional<Awaited> findCompute(unsigned entry, int64_t number) const;
  bool conflict(unsigned entry, int64_t number, unsigned other, int64_t theirs) const;
  void wait(unsigned entry, int64_t number, const Awaited &awaited);
  void annotate();

  ProgramOp program;
  std::vector<Entry> entries;
  llvm::StringMap<std::pair<unsigned, unsigned>> sections; ///< range of entries: first and end
  std::vector<size_t> done; ///< by entry: number of runs for which COMPUTE has waited
  std::optional<unsigned> lastCompute;
  int64_t order = 0;
  llvm::MapVector<std::pair<unsigned, unsigned>, Wait> waits;
};

} // namespace

/// Returns whether both entries touch some byte and one of them writes it, in any pair of actions.
static bool mayConflict(const Entry &a, const Entry &b) {
  for (const InstructionAccess &x : a.accesses)
    for (const InstructionAccess &y : b.accesses)
      if ((x.writes || y.writes) && x.range.mayOverlap(y.range))
        return true;
  return false;
}

static bool readsInput(const Entry &entry) {
  return llvm::any_of(entry.accesses, [](const InstructionAccess &access) {
    return access.range.space == Space::Input;
  });
}

/// Makes collectives that read the inputs end with their action. The last COMPUTE instruction waits
/// for the collectives before it. Collectives after it move to the COMPUTE stream.
void EventAssigner::finishInputReaders(unsigned first, unsigned end) {
  unsigned last = end;
  while (last > first && entries[last - 1].stream != StreamKind::Compute)
    --last;
  for (unsigned index = first; index < end; ++index) {
    Entry &entry = entries[index];
    if (entry.stream == StreamKind::Compute || !readsInput(entry))
      continue;
    if (index < last) {
      entries[last - 1].ends.push_back(index);
      continue;
    }
    entry.stream = StreamKind::Compute;
    for (Operation *instruction : entry.instructions)
      instruction->setAttr("stream",
                           StreamKindAttr::get(program.getContext(), StreamKind::Compute));
  }
}

void EventAssigner::addInstruction(InstructionOpInterface instruction) {
  if (!instruction->hasAttr(fusedAttrName))
    entries.push_back({{}, instruction.getStream(), {}, {}, {}, {}});
  Entry &entry = entries.back();
  entry.instructions.push_back(instruction);
  llvm::append_range(entry.accesses, accessesOf(instruction));
}

void EventAssigner::collect() {
  llvm::StringMap<int64_t> actionsOf;
  for (auto slot : program.getBody().front().getOps<ActionOp>())
    ++actionsOf[slot.getSection()];
  for (auto section : program.getBody().front().getOps<SectionOp>())
    if (std::optional<StringRef> other = section.getLastOf())
      actionsOf[section.getSymName()] += actionsOf[*other]++; // `other` stands before `section`
  for (auto section : program.getBody().front().getOps<SectionOp>()) {
    unsigned first = entries.size();
    for (Operation &instruction : section.getBody().front())
      if (auto interface = dyn_cast<InstructionOpInterface>(instruction))
        addInstruction(interface);
    sections[section.getSymName()] = {first, unsigned(entries.size())};
    if (actionsOf.lookup(section.getSymName()) > 1)
      finishInputReaders(first, entries.size());
  }
}

void EventAssigner::findConflicting() {
  SmallVector<unsigned> beside;
  for (auto [index, entry] : llvm::enumerate(entries))
    if (entry.stream != StreamKind::Compute)
      beside.push_back(index);
  for (unsigned other : beside)
    for (auto [index, entry] : llvm::enumerate(entries)) {
      if (index == other || !mayConflict(entry, entries[other]))
        continue;
      entry.conflicting.push_back(other);
      if (entry.stream == StreamKind::Compute && entries[other].stream == StreamKind::Transfer)
        entries[other].conflicting.push_back(index);
    }
}

void EventAssigner::restart() {
  for (Entry &entry : entries)
    entry.runs.clear();
  done.assign(entries.size(), 0);
  lastCompute.reset();
}

bool EventAssigner::conflict(unsigned entry, int64_t number, unsigned other, int64_t theirs) const {
  for (const InstructionAccess &x : entries[entry].accesses)
    for (const InstructionAccess &y : entries[other].accesses)
      if ((x.writes || y.writes) && x.range.overlaps(number, y.range, theirs))
        return true;
  return false;
}

/// Returns the latest conflicting run of each collective and transfer for which COMPUTE has not
/// waited, the latest of all first.
SmallVector<Awaited> EventAssigner::findAwaited(unsigned index, int64_t number) const {
  SmallVector<Awaited> found;
  const Entry &entry = entries[index];
  for (unsigned rival : entry.conflicting) {
    const std::vector<Run> &runs = entries[rival].runs;
    if (entries[rival].stream == StreamKind::Compute)
      continue;
    // A transfer does not begin after COMPUTE, so it does not know for what COMPUTE has waited.
    size_t from = entry.stream == StreamKind::Transfer ? 0 : done[rival];
    for (size_t run = runs.size(); run-- > from;)
      if (conflict(index, number, rival, runs[run].number)) {
        found.push_back({rival, run, runs[run].order});
        break;
      }
  }
  for (unsigned other : entry.ends)
    if (const std::vector<Run> &runs = entries[other].runs; runs.size() > done[other])
      found.push_back({other, runs.size() - 1, runs.back().order});
  llvm::sort(found, [](const Awaited &a, const Awaited &b) { return a.order > b.order; });
  return found;
}

/// Returns the latest run of COMPUTE that conflicts with a transfer.
std::optional<Awaited> EventAssigner::findCompute(unsigned index, int64_t number) const {
  std::optional<Awaited> latest;
  for (unsigned rival : entries[index].conflicting) {
    const std::vector<Run> &runs = entries[rival].runs;
    if (entries[rival].stream != StreamKind::Compute)
      continue;
    for (size_t run = runs.size(); run-- > 0;) {
      if (latest && runs[run].order < latest->order)
        break;
      if (!conflict(index, number, rival, runs[run].number))
        continue;
      latest = {rival, run, runs[run].order};
      break;
    }
  }
  return latest;
}

void EventAssigner::wait(unsigned entry, int64_t number, const Awaited &awaited) {
  const std::vector<Run> &runs = entries[awaited.entry].runs;
  int64_t distance = number - runs[awaited.run].number;
  auto [it, isNew] = waits.try_emplace({entry, awaited.entry});
  Wait &wait = it->second;
  wait.isUniform &= isNew || wait.distance == distance;
  wait.isLast &= awaited.run + 1 == runs.size();
  wait.distance = distance;
}

void EventAssigner::runEntry(unsigned index, int64_t number) {
  Entry &entry = entries[index];
  Run run{number, order++, Done()};
  bool isCompute = entry.stream == StreamKind::Compute;
  for (const Awaited &awaited : findAwaited(index, number)) {
    size_t known = std::max(run.known.lookup(awaited.entry), isCompute ? done[awaited.entry] : 0);
    if (awaited.run < known)
      continue;
    wait(index, number, awaited);
    auto learn = [&](unsigned other, size_t runs) {
      run.known[other] = std::max(run.known.lookup(other), runs);
      if (isCompute)
        done[other] = std::max(done[other], runs);
    };
    learn(awaited.entry, awaited.run + 1);
    for (auto [other, runs] : Done(entries[awaited.entry].runs[awaited.run].known))
      learn(other, runs);
  }
  if (entry.stream == StreamKind::Transfer) {
    if (std::optional<Awaited> compute = findCompute(index, number))
      wait(index, number, *compute);
  } else if (entry.stream == StreamKind::Communication && entry.runs.empty() && lastCompute) {
    const std::vector<Run> &runs = entries[*lastCompute].runs;
    wait(index, number, {*lastCompute, runs.size() - 1, runs.back().order});
  }
  if (isCompute)
    lastCompute = index;
  entry.runs.push_back(std::move(run));
}

void EventAssigner::runSection(StringRef name, int64_t number) {
  auto [first, end] = sections.lookup(name);
  for (unsigned entry = first; entry < end; ++entry)
    runEntry(entry, number);
}

void EventAssigner::run() {
  collect();
  findConflicting();
  restart();
  llvm::StringSet<> inStep;
  int64_t copies = program.getTogether() ? 1 : program.getCopies();
  for (auto slot : program.getBody().front().getOps<ActionOp>()) {
    inStep.insert(slot.getSection());
    runSection(slot.getSection(), slot.getMicrobatch() * copies + slot.getCopy());
  }
  for (auto section : program.getBody().front().getOps<SectionOp>()) {
    if (inStep.contains(section.getSymName()))
      continue;
    restart();
    runSection(section.getSymName(), 0);
  }
  annotate();
}

void EventAssigner::annotate() {
  Builder b(program.getContext());
  llvm::MapVector<unsigned, int32_t> signals;
  llvm::MapVector<unsigned, std::pair<SmallVector<int32_t>, SmallVector<int32_t>>> lists;
  for (auto &[pair, wait] : waits) {
    int32_t event = signals.try_emplace(pair.second, int32_t(signals.size())).first->second;
    bool isBehind = wait.isUniform && !wait.isLast && wait.distance >= 0;
    auto &[events, behind] = lists[pair.first];
    events.push_back(event);
    behind.push_back(isBehind ? int32_t(wait.distance) + 1 : 0);
  }
  for (auto [entry, event] : signals)
    entries[entry].instructions.back()->setAttr("signals", b.getDenseI32ArrayAttr(event));
  for (auto &[entry, list] : lists) {
    entries[entry].instructions.front()->setAttr("waits", b.getDenseI32ArrayAttr(list.first));
    if (llvm::any_of(list.second, [](int32_t behind) { return behind != 0; }))
      entries[entry].instructions.front()->setAttr(behindAttrName,
                                                   b.getDenseI32ArrayAttr(list.second));
  }
}

void assignEvents(ProgramOp program) { EventAssigner(program).run(); }

} // namespace pcc::lower
