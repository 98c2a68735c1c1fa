// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the message that a message in a section for the last run continues: by kind, tag, stream
// and peer. Both share one clock. Sections outside the step become executions of their own, and so
// does `forward`.

#include "runtime/check/program/ProgramIndex.h"

#include <algorithm>

namespace pcc::check {

ProgramIndex::ProgramIndex(const abi::Executable &executable, int number)
    : executable(executable), program(executable.programs(number)), number(number) {
  for (const abi::Section &section : program.sections()) {
    firstOf.push_back(uint32_t(instructions.size()));
    for (const abi::Instruction &instruction : section.instructions())
      instructions.push_back(&instruction);
  }
  firstOf.push_back(uint32_t(instructions.size()));
  clockOf.resize(instructions.size(), 0);
  for (uint32_t r = 0; r < instructions.size(); ++r) {
    uint32_t last = program.sections(int(sectionOf(r))).last_of();
    messageOf.push_back(
        last > 0 && isMessage(*instructions[r]) ? findContinued(last - 1, *instructions[r]) : r);
  }
  for (uint32_t r = 0; r < instructions.size(); ++r)
    if (messageOf[r] == r &&
        (instructions[r]->stream() != abi::COMPUTE || isMessage(*instructions[r])))
      clockOf[r] = clocks++;
  for (uint32_t r = 0; r < instructions.size(); ++r)
    clockOf[r] = clockOf[messageOf[r]];
}

/// Returns the message of `section` that `instruction` of another section continues; `instruction`
/// itself if there is none.
uint32_t ProgramIndex::findContinued(uint32_t section, const abi::Instruction &instruction) const {
  auto isSame = [&](const abi::Instruction *other) {
    const abi::Collective &a = instruction.collective(), &b = other->collective();
    return isMessage(*other) && a.kind() == b.kind() && a.tag() == b.tag() &&
           other->stream() == instruction.stream() &&
           a.peer().SerializeAsString() == b.peer().SerializeAsString();
  };
  auto first = instructions.begin() + firstOf[section],
       end = instructions.begin() + firstOf[section + 1];
  auto found = std::find_if(first, end, isSame);
  if (found == end)
    found = std::find(instructions.begin(), instructions.end(), &instruction);
  return uint32_t(found - instructions.begin());
}

uint32_t ProgramIndex::sectionOf(uint32_t instruction) const {
  auto next = std::upper_bound(firstOf.begin(), firstOf.end(), instruction);
  return uint32_t(next - firstOf.begin() - 1);
}

std::string ProgramIndex::executionOf(uint32_t instruction) const {
  uint32_t section = sectionOf(instruction);
  bool isInStep =
      std::any_of(program.actions().begin(), program.actions().end(),
                  [&](const abi::Action &action) { return action.section() == section; });
  return isInStep ? "step" : program.sections(int(section)).name();
}

std::vector<ProgramIndex> indexPrograms(const abi::Executable &executable) {
  std::vector<ProgramIndex> programs;
  for (int p = 0; p < executable.programs_size(); ++p)
    programs.emplace_back(executable, p);
  return programs;
}

namespace {

/// Lists sections that no action runs, and `forward`, which evaluation runs.
std::vector<std::string> listStandaloneSections(const abi::Executable &executable) {
  std::vector<std::string> names;
  for (const abi::Program &program : executable.programs()) {
    std::vector<bool> inStep(program.sections_size(), false);
    for (const abi::Action &action : program.actions())
      inStep[action.section()] = true;
    for (int s = 0; s < program.sections_size(); ++s) {
      const std::string &name = program.sections(s).name();
      bool isKnown = std::find(names.begin(), names.end(), name) != names.end();
      if ((!inStep[s] || name == "forward") && !isKnown)
        names.push_back(name);
    }
  }
  return names;
}

} // namespace

std::vector<Execution> listExecutions(const abi::Executable &executable) {
  std::vector<Execution> executions;
  Execution step{.name = "step", .isStep = true};
  bool hasActions = false;
  for (const abi::Program &program : executable.programs()) {
    step.actions.emplace_back(program.actions().begin(), program.actions().end());
    hasActions |= program.actions_size() > 0;
  }
  if (hasActions)
    executions.push_back(std::move(step));
  for (const std::string &name : listStandaloneSections(executable)) {
    Execution execution{.name = name};
    for (const abi::Program &program : executable.programs()) {
      execution.actions.emplace_back();
      for (int s = 0; s < program.sections_size(); ++s)
        if (program.sections(s).name() == name)
          execution.actions.back().emplace_back().set_section(uint32_t(s));
    }
    executions.push_back(std::move(execution));
  }
  return executions;
}

} // namespace pcc::check
