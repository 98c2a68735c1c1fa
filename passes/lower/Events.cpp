// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events between records, found by going through the slots of a step as a rank does. Records of the
// lane COMPUTE run one after the other; of two others, or of one of them and one of COMPUTE, one
// waits for the other where they touch the same bytes and one of them writes there:
//
// * a record for collectives and messages that have not been waited for, the latest first; who
//   waits for one knows what that one has waited for
// * a message for the last record of COMPUTE before it that touches its buffer; another collective
//   for the last one of all, because it begins with its slot anyway
//
// In a ring only what lies in the same copy is in the way: who writes copy 0 of three for
// microbatch 3 waits for the readers of microbatch 0, not for the latest ones (`task.behind`).
#include "passes/lower/Program.h"
#include "passes/lower/RecordAccess.h"

#include "dialects/task/Accesses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

namespace {

/// Of collectives and messages, by entry: how many runs are done.
using Done = llvm::SmallDenseMap<unsigned, size_t, 4>;

/// A record for one slot.
struct Run {
  int64_t number = 0; ///< by which rings turn
  int64_t order = 0;  ///< place among all runs
  Done known;         ///< when it begins, beside what COMPUTE knows
};

/// A record, or several that go in one message: the first waits, the last signals.
struct Entry {
  SmallVector<Operation *, 1> records;
  Lane lane = Lane::Compute;
  SmallVector<RecordAccess> accesses;
  /// Entries that it may have to wait for: collectives and messages; of a message also COMPUTE.
  SmallVector<unsigned> rivals;
  /// Of the last record of COMPUTE in a section of several slots: what reads the inputs, which the
  /// rank's thread brings anew for another slot.
  SmallVector<unsigned> ends;
  std::vector<Run> runs;
};

/// A run that another one waits for.
struct Awaited {
  unsigned entry = 0;
  size_t run = 0;
  int64_t order = 0;
};

/// What one record waits for of another, over all slots.
struct Wait {
  bool isUniform = true;
  bool isLast = true;   ///< it was the last run of the other each time
  int64_t distance = 0; ///< of their numbers
};

class EventAssigner {
public:
  explicit EventAssigner(ProgramOp program) : program(program) {}
  void run();

private:
  void collect();
  void addRecord(RecordOpInterface record);
  void keepInputs(unsigned first, unsigned end);
  void findRivals();
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
  llvm::StringMap<std::pair<unsigned, unsigned>> sections; ///< first and end of their entries
  std::vector<size_t> done; ///< by entry: runs that COMPUTE has waited for
  std::optional<unsigned> lastCompute;
  int64_t order = 0;
  llvm::MapVector<std::pair<unsigned, unsigned>, Wait> waits;
};

} // namespace

/// Whether some bytes are touched by both, and written by one, whatever the slots.
static bool mayConflict(const Entry &a, const Entry &b) {
  for (const RecordAccess &x : a.accesses)
    for (const RecordAccess &y : b.accesses)
      if ((x.writes || y.writes) && x.range.mayOverlap(y.range))
        return true;
  return false;
}

static bool readsInput(const Entry &entry) {
  return llvm::any_of(entry.accesses, [](const RecordAccess &access) {
    return access.range.space == Space::Input;
  });
}

/// Collectives that read the inputs end with their slot: the last record of COMPUTE waits for those
/// before it, and those behind it are done at once.
void EventAssigner::keepInputs(unsigned first, unsigned end) {
  unsigned last = end;
  while (last > first && entries[last - 1].lane != Lane::Compute)
    --last;
  for (unsigned index = first; index < end; ++index) {
    Entry &entry = entries[index];
    if (entry.lane == Lane::Compute || !readsInput(entry))
      continue;
    if (index < last) {
      entries[last - 1].ends.push_back(index);
      continue;
    }
    entry.lane = Lane::Compute;
    for (Operation *record : entry.records)
      record->setAttr("lane", LaneAttr::get(program.getContext(), Lane::Compute));
  }
}

void EventAssigner::addRecord(RecordOpInterface record) {
  if (!record->hasAttr(fusedAttrName))
    entries.push_back({{}, record.getLane(), {}, {}, {}, {}});
  Entry &entry = entries.back();
  entry.records.push_back(record);
  llvm::append_range(entry.accesses, accessesOf(record));
}

void EventAssigner::collect() {
  llvm::StringMap<int64_t> slotsOf;
  for (auto slot : program.getBody().front().getOps<SlotOp>())
    ++slotsOf[slot.getSection()];
  for (auto section : program.getBody().front().getOps<SectionOp>())
    if (std::optional<StringRef> other = section.getLastOf())
      slotsOf[section.getSymName()] += slotsOf[*other]++; // which stands before it
  for (auto section : program.getBody().front().getOps<SectionOp>()) {
    unsigned first = entries.size();
    for (Operation &record : section.getBody().front())
      if (auto interface = dyn_cast<RecordOpInterface>(record))
        addRecord(interface);
    sections[section.getSymName()] = {first, unsigned(entries.size())};
    if (slotsOf.lookup(section.getSymName()) > 1)
      keepInputs(first, entries.size());
  }
}

void EventAssigner::findRivals() {
  SmallVector<unsigned> beside;
  for (auto [index, entry] : llvm::enumerate(entries))
    if (entry.lane != Lane::Compute)
      beside.push_back(index);
  for (unsigned other : beside)
    for (auto [index, entry] : llvm::enumerate(entries)) {
      if (index == other || !mayConflict(entry, entries[other]))
        continue;
      entry.rivals.push_back(other);
      if (entry.lane == Lane::Compute && entries[other].lane == Lane::Transfer)
        entries[other].rivals.push_back(index);
    }
}

void EventAssigner::restart() {
  for (Entry &entry : entries)
    entry.runs.clear();
  done.assign(entries.size(), 0);
  lastCompute.reset();
}

bool EventAssigner::conflict(unsigned entry, int64_t number, unsigned other, int64_t theirs) const {
  for (const RecordAccess &x : entries[entry].accesses)
    for (const RecordAccess &y : entries[other].accesses)
      if ((x.writes || y.writes) && x.range.overlaps(number, y.range, theirs))
        return true;
  return false;
}

/// The runs of collectives and messages that are in the way and that COMPUTE has not waited for, of
/// each the latest; the latest of all first.
SmallVector<Awaited> EventAssigner::findAwaited(unsigned index, int64_t number) const {
  SmallVector<Awaited> found;
  const Entry &entry = entries[index];
  for (unsigned rival : entry.rivals) {
    const std::vector<Run> &runs = entries[rival].runs;
    if (entries[rival].lane == Lane::Compute)
      continue;
    // A message does not begin behind COMPUTE, and knows nothing of what that has waited for.
    size_t from = entry.lane == Lane::Transfer ? 0 : done[rival];
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

/// The latest run of COMPUTE that is in the way of a message.
std::optional<Awaited> EventAssigner::findCompute(unsigned index, int64_t number) const {
  std::optional<Awaited> latest;
  for (unsigned rival : entries[index].rivals) {
    const std::vector<Run> &runs = entries[rival].runs;
    if (entries[rival].lane != Lane::Compute)
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
  bool isCompute = entry.lane == Lane::Compute;
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
  if (entry.lane == Lane::Transfer) {
    if (std::optional<Awaited> compute = findCompute(index, number))
      wait(index, number, *compute);
  } else if (entry.lane == Lane::Communication && entry.runs.empty() && lastCompute) {
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
  findRivals();
  restart();
  llvm::StringSet<> inStep;
  int64_t copies = program.getTogether() ? 1 : program.getCopies();
  for (auto slot : program.getBody().front().getOps<SlotOp>()) {
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
    entries[entry].records.back()->setAttr("signals", b.getDenseI32ArrayAttr(event));
  for (auto &[entry, list] : lists) {
    entries[entry].records.front()->setAttr("waits", b.getDenseI32ArrayAttr(list.first));
    if (llvm::any_of(list.second, [](int32_t behind) { return behind != 0; }))
      entries[entry].records.front()->setAttr(behindAttrName, b.getDenseI32ArrayAttr(list.second));
  }
}

void assignEvents(ProgramOp program) { EventAssigner(program).run(); }

} // namespace pcc::lower
