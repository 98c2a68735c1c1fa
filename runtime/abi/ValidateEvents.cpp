// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of events: each is signaled by one instruction, and a waiting instruction comes after the
// run that it waits for.

#include "runtime/abi/Checker.h"
#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"

#include <map>

namespace pcc::abi {
namespace {

/// Checks that each event is signaled by at most one instruction.
void checkSignals(Checker &checker, const Program &program) {
  constexpr uint32_t maxEvents = 1u << 20;
  if (!checker.expect(program.events() <= maxEvents, "events: expected at most {}, got {}",
                      maxEvents, program.events()))
    return;
  std::vector<bool> signalled(program.events(), false);
  for (int s = 0; s < program.sections_size(); ++s) {
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).records_size(); ++r) {
      Checker::Scope record(checker, "records", r);
      for (uint32_t event : program.sections(s).records(r).signals()) {
        if (!checker.expect(event < program.events(), "signals: expected an event below {}, got {}",
                            program.events(), event))
          return;
        checker.expect(!signalled[event], "signals: event {} has another signaller", event);
        signalled[event] = true;
      }
    }
  }
}

/// Checks that the waits of a section find their events signaled, and adds the section's own
/// signals.
void checkWaits(Checker &checker, const Program &program, int s, std::vector<bool> &signalled) {
  Checker::Scope section(checker, "sections", s);
  for (int r = 0; r < program.sections(s).records_size() && checker.ok(); ++r) {
    Checker::Scope scope(checker, "records", r);
    const Record &record = program.sections(s).records(r);
    checker.expect(record.behind_size() == 0 || record.behind_size() == record.waits_size(),
                   "behind: expected none or {} numbers, got {}", record.waits_size(),
                   record.behind_size());
    for (uint32_t event : record.waits())
      checker.expect(event < program.events() && signalled[event],
                     "waits: event {} is not signalled before", event);
    for (uint32_t event : record.signals())
      signalled[event] = true;
  }
}

/// Checks the order of events. In a step, at least the last action of each section must find its
/// waits signaled. Sections that no action runs must do so on their own.
void checkEventOrder(Checker &checker, const Program &program) {
  std::vector<bool> signalled(program.events(), false), inStep(program.sections_size(), false);
  std::vector<int> left(program.sections_size(), 0);
  for (const Slot &slot : program.slots())
    ++left[slot.section()];
  for (const Slot &slot : program.slots()) {
    inStep[slot.section()] = true;
    if (--left[slot.section()] == 0) {
      checkWaits(checker, program, slot.section(), signalled);
      continue;
    }
    for (const Record &record : program.sections(int(slot.section())).records())
      for (uint32_t event : record.signals())
        signalled[event] = true;
  }
  for (int s = 0; s < program.sections_size(); ++s) {
    std::vector<bool> alone(program.events(), false);
    if (!inStep[s])
      checkWaits(checker, program, s, alone);
  }
}

/// The positions of signaling instructions, and the actions of each section by number.
class WaitOrder {
public:
  WaitOrder(const Executable &executable, const Program &program)
      : executable(executable), program(program), signallers(program.events()),
        slots(program.sections_size()) {
    for (int s = 0; s < program.sections_size(); ++s)
      for (int r = 0; r < program.sections(s).records_size(); ++r)
        for (uint32_t event : program.sections(s).records(r).signals())
          signallers[event] = {s, r};
    for (int i = 0; i < program.slots_size(); ++i)
      slots[program.slots(i).section()][ringIndex(executable.batch(), program.slots(i))] = i;
  }

  /// Whether a wait of the instruction at position `record` of its section is satisfiable in the
  /// action at `position`. The awaited run must come before it or not exist.
  bool holds(uint32_t event, uint32_t behind, int position, int record) const {
    const Slot &slot = program.slots(position);
    std::optional<uint64_t> number = awaitedNumber(behind, ringIndex(executable.batch(), slot));
    auto [section, place] = signallers[event];
    if (!number || !slots[section].contains(*number))
      return true;
    int other = slots[section].at(*number);
    return other < position || (other == position && place < record);
  }

private:
  const Executable &executable;
  const Program &program;
  std::vector<std::pair<int, int>> signallers;
  std::vector<std::map<uint64_t, int>> slots;
};

/// Checks that runs awaited by number come before the waiting instruction in each action.
void checkBehind(Checker &checker, const Executable &executable, const Program &program) {
  WaitOrder order(executable, program);
  for (int i = 0; i < program.slots_size() && checker.ok(); ++i) {
    int s = int(program.slots(i).section());
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).records_size(); ++r) {
      Checker::Scope scope(checker, "records", r);
      const Record &record = program.sections(s).records(r);
      for (int w = 0; w < record.behind_size(); ++w)
        checker.expect(
            record.behind(w) == 0 || order.holds(record.waits(w), record.behind(w), i, r),
            "behind: in slot {} event {} is signalled after it is waited for", i, record.waits(w));
    }
  }
}

} // namespace

void checkEvents(Checker &checker, const Executable &executable, const Program &program) {
  checkSignals(checker, program);
  if (checker.ok())
    checkEventOrder(checker, program);
  if (checker.ok())
    checkBehind(checker, executable, program);
}

} // namespace pcc::abi
