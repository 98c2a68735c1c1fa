// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs each instruction twice: for the first action of its section and for later ones.
// Communication gets its cost in RankClasses.cpp. All collectives of a group share the counter of
// the first one.

#include "runtime/simulate/FlatProgram.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/Waits.h"
#include "runtime/check/match/LaunchGrouping.h"
#include "runtime/machine/InstructionCost.h"

#include <map>

namespace pcc::simulate {

size_t FlatProgram::countRuns() const {
  size_t runs = 0;
  for (const abi::Action &action : actions)
    runs += firstOf[action.section() + 1] - firstOf[action.section()];
  return runs;
}

/// Sets `joins` of messages on COMPUTE that begin together.
static void joinMessages(const check::ProgramIndex &index, FlatProgram &flatProgram) {
  check::LaunchGrouping grouping(index.executable, index.program);
  for (size_t section = 0; section + 1 < flatProgram.firstOf.size(); ++section) {
    std::vector<const abi::Instruction *> open;
    for (uint32_t r = flatProgram.firstOf[section]; r < flatProgram.firstOf[section + 1]; ++r) {
      const abi::Instruction *instruction = index.instructions[r];
      FlatInstruction &entry = flatProgram.instructions[r];
      if (!entry.isMessage() || entry.stream != abi::COMPUTE) {
        open.clear();
        continue;
      }
      entry.joins = !open.empty() && grouping.join(open, *instruction);
      if (!entry.joins)
        open.clear();
      open.push_back(instruction);
    }
  }
}

FlatProgram makeFlatProgram(const check::ProgramIndex &index,
                            const std::vector<abi::Action> &actions,
                            const abi::DeviceFigures &device) {
  FlatProgram flatProgram{.firstOf = index.firstOf,
                          .isNumbered = std::vector<bool>(index.program.events(), false),
                          .actions = actions};
  for (const abi::Action &action : actions)
    flatProgram.numbers.push_back(abi::ringIndex(index.executable.batch(), action));
  std::map<uint32_t, uint32_t> firstOfGroup;
  for (uint32_t r = 0; r < index.instructions.size(); ++r) {
    const abi::Instruction &instruction = *index.instructions[r];
    FlatInstruction entry{.stream = instruction.stream(),
                          .counter = index.messageOf[r],
                          .message = index.messageOf[r],
                          .signals = {instruction.signals().begin(), instruction.signals().end()}};
    for (int w = 0; w < instruction.waits_size(); ++w) {
      entry.waits.push_back({instruction.waits(w), abi::behindOf(instruction, w)});
      if (entry.waits.back().behind > 0)
        flatProgram.isNumbered[instruction.waits(w)] = true;
    }
    if (instruction.has_collective()) {
      entry.kind = instruction.collective().kind();
      if (!check::isMessage(instruction))
        entry.counter = firstOfGroup.try_emplace(instruction.collective().group(), r).first->second;
    } else {
      entry.first = machine::estimateInstructionCost(device, index.executable, index.program,
                                                     instruction, true);
      entry.later = machine::estimateInstructionCost(device, index.executable, index.program,
                                                     instruction, false);
    }
    flatProgram.instructions.push_back(std::move(entry));
  }
  joinMessages(index, flatProgram);
  return flatProgram;
}

} // namespace pcc::simulate
