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
//
// WaitFinder.h finds the waits.
#include "passes/lower/program/Program.h"
#include "passes/lower/program/WaitFinder.h"

#include "dialects/task/InstructionAttrs.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {

namespace {

class EventAssigner {
public:
  explicit EventAssigner(ProgramOp program) : program(program) {}
  void run();

private:
  void collect();
  void addInstruction(InstructionOpInterface instruction);
  void finishInputReaders(unsigned first, unsigned end);
  void runSection(WaitFinder &finder, StringRef name, int64_t number);
  void annotate(const Waits &waits);

  ProgramOp program;
  std::vector<WaitingEntry> entries;
  /// By entry: its instructions. The first one waits, the last one signals.
  std::vector<SmallVector<Operation *, 1>> instructions;
  llvm::StringMap<std::pair<unsigned, unsigned>> sections; ///< range of entries: first and end
};

} // namespace

static bool readsInput(const WaitingEntry &entry) {
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
    WaitingEntry &entry = entries[index];
    if (entry.stream == StreamKind::Compute || !readsInput(entry))
      continue;
    if (index < last) {
      entries[last - 1].ends.push_back(index);
      continue;
    }
    entry.stream = StreamKind::Compute;
    for (Operation *instruction : instructions[index])
      instruction->setAttr("stream",
                           StreamKindAttr::get(program.getContext(), StreamKind::Compute));
  }
}

void EventAssigner::addInstruction(InstructionOpInterface instruction) {
  if (!instruction->hasAttr(fusedAttrName)) {
    entries.push_back({instruction.getStream(), {}});
    instructions.emplace_back();
  }
  instructions.back().push_back(instruction);
  llvm::append_range(entries.back().accesses, accessesOf(instruction));
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
    bool repeats = actionsOf.lookup(section.getSymName()) > 1;
    for (WaitingEntry &entry : llvm::drop_begin(entries, first))
      entry.repeats = repeats;
    if (repeats)
      finishInputReaders(first, entries.size());
  }
}

void EventAssigner::runSection(WaitFinder &finder, StringRef name, int64_t number) {
  auto [first, end] = sections.lookup(name);
  for (unsigned entry = first; entry < end; ++entry)
    finder.run(entry, number);
}

void EventAssigner::run() {
  collect();
  WaitFinder finder(entries);
  llvm::StringSet<> inStep;
  int64_t copies = program.getTogether() ? 1 : program.getCopies();
  for (auto slot : program.getBody().front().getOps<ActionOp>()) {
    inStep.insert(slot.getSection());
    runSection(finder, slot.getSection(), slot.getMicrobatch() * copies + slot.getCopy());
  }
  for (auto section : program.getBody().front().getOps<SectionOp>()) {
    if (inStep.contains(section.getSymName()))
      continue;
    finder.restart();
    runSection(finder, section.getSymName(), 0);
  }
  annotate(finder.getWaits());
}

void EventAssigner::annotate(const Waits &waits) {
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
    instructions[entry].back()->setAttr("signals", b.getDenseI32ArrayAttr(event));
  for (auto &[entry, list] : lists) {
    instructions[entry].front()->setAttr("waits", b.getDenseI32ArrayAttr(list.first));
    if (llvm::any_of(list.second, [](int32_t behind) { return behind != 0; }))
      instructions[entry].front()->setAttr(behindAttrName, b.getDenseI32ArrayAttr(list.second));
  }
}

void assignEvents(ProgramOp program) { EventAssigner(program).run(); }

} // namespace pcc::lower
