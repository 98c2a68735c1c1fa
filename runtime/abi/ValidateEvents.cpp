// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of events: each is signalled by one record, and whoever waits for a run stands behind
// it.

#include "runtime/abi/Checker.h"
#include "runtime/abi/RingCopy.h"
#include "runtime/abi/Waits.h"

#include <map>

namespace pcc::abi {
namespace {

/// Checks that each event is signalled by at most one record.
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

/// Checks that the waits of a section find their events signalled, and adds the section's own.
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

/// Checks the order of events in a step, where at least the last slot of each section finds what it
/// waits for, and in the sections that no slot runs, which start on their own.
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

/// Where the signallers of events stand, and the slots of their sections by number.
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

  /// Whether the run that the record at place `record` of its section waits for in slot `position`
  /// stands before it, or is none.
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

/// Checks that what records wait for by number stands before them in each slot.
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
