// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of events: each is signaled by one instruction, and a waiting instruction comes after the
// run that it waits for.

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/Waits.h"
#include "runtime/abi/validate/Checker.h"

#include <map>

namespace pcc::abi {
namespace {

/// Checks that each event is signaled by at most one instruction.
void checkSignals(Checker &checker, const Program &program) {
  constexpr uint32_t maxEvents = 1u << 20;
  if (!checker.expect(program.events() <= maxEvents, "events: expected at most {}, got {}",
                      maxEvents, program.events()))
    return;
  std::vector<bool> signaled(program.events(), false);
  for (int s = 0; s < program.sections_size(); ++s) {
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).instructions_size(); ++r) {
      Checker::Scope instruction(checker, "instructions", r);
      for (uint32_t event : program.sections(s).instructions(r).signals()) {
        if (!checker.expect(event < program.events(), "signals: expected an event below {}, got {}",
                            program.events(), event))
          return;
        checker.expect(!signaled[event], "signals: event {} has another signaler", event);
        signaled[event] = true;
      }
    }
  }
}

/// Checks that the waits of a section find their events signaled, and adds the section's own
/// signals.
void checkWaits(Checker &checker, const Program &program, int s, std::vector<bool> &signaled) {
  Checker::Scope section(checker, "sections", s);
  for (int r = 0; r < program.sections(s).instructions_size() && checker.ok(); ++r) {
    Checker::Scope scope(checker, "instructions", r);
    const Instruction &instruction = program.sections(s).instructions(r);
    checker.expect(instruction.behind_size() == 0 ||
                       instruction.behind_size() == instruction.waits_size(),
                   "behind: expected none or {} numbers, got {}", instruction.waits_size(),
                   instruction.behind_size());
    for (uint32_t event : instruction.waits())
      checker.expect(event < program.events() && signaled[event],
                     "waits: event {} is not signaled before", event);
    for (uint32_t event : instruction.signals())
      signaled[event] = true;
  }
}

/// Checks the order of events. In a step, at least the last action of each section must find its
/// waits signaled. Sections that no action runs must do so on their own.
void checkEventOrder(Checker &checker, const Program &program) {
  std::vector<bool> signaled(program.events(), false), inStep(program.sections_size(), false);
  std::vector<int> left(program.sections_size(), 0);
  for (const Action &action : program.actions())
    ++left[action.section()];
  for (const Action &action : program.actions()) {
    inStep[action.section()] = true;
    if (--left[action.section()] == 0) {
      checkWaits(checker, program, action.section(), signaled);
      continue;
    }
    for (const Instruction &instruction : program.sections(int(action.section())).instructions())
      for (uint32_t event : instruction.signals())
        signaled[event] = true;
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
      : executable(executable), program(program), signalers(program.events()),
        actions(program.sections_size()) {
    for (int s = 0; s < program.sections_size(); ++s)
      for (int r = 0; r < program.sections(s).instructions_size(); ++r)
        for (uint32_t event : program.sections(s).instructions(r).signals())
          signalers[event] = {s, r};
    for (int i = 0; i < program.actions_size(); ++i)
      actions[program.actions(i).section()][ringIndex(executable.batch(), program.actions(i))] = i;
  }

  /// Whether a wait of the instruction at position `instruction` of its section is satisfiable in
  /// the action at `position`. The awaited run must come before it or not exist.
  bool holds(uint32_t event, uint32_t behind, int position, int instruction) const {
    const Action &action = program.actions(position);
    std::optional<uint64_t> number = awaitedNumber(behind, ringIndex(executable.batch(), action));
    auto [section, place] = signalers[event];
    if (!number || !actions[section].contains(*number))
      return true;
    int other = actions[section].at(*number);
    return other < position || (other == position && place < instruction);
  }

private:
  const Executable &executable;
  const Program &program;
  std::vector<std::pair<int, int>> signalers;
  std::vector<std::map<uint64_t, int>> actions;
};

/// Checks that runs awaited by number come before the waiting instruction in each action.
void checkBehind(Checker &checker, const Executable &executable, const Program &program) {
  WaitOrder order(executable, program);
  for (int i = 0; i < program.actions_size() && checker.ok(); ++i) {
    int s = int(program.actions(i).section());
    Checker::Scope section(checker, "sections", s);
    for (int r = 0; r < program.sections(s).instructions_size(); ++r) {
      Checker::Scope scope(checker, "instructions", r);
      const Instruction &instruction = program.sections(s).instructions(r);
      for (int w = 0; w < instruction.behind_size(); ++w)
        checker.expect(instruction.behind(w) == 0 ||
                           order.holds(instruction.waits(w), instruction.behind(w), i, r),
                       "behind: in action {} event {} is signaled after it is waited for", i,
                       instruction.waits(w));
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
