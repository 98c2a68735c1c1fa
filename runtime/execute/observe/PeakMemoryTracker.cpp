// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the events of a step and stores, for each run, the numbers at which it begins and ends.
// The simulator's function (LiveMemory.h) computes the peak from these spans.

#include "runtime/execute/observe/PeakMemoryTracker.h"

#include "runtime/abi/program/BufferRings.h"
#include "runtime/simulate/LiveMemory.h"

namespace pcc::runtime {

PeakMemoryTracker::PeakMemoryTracker(const abi::Executable &executable, int number)
    : index(executable, number), firstRun(size_t(index.program.sections_size())) {
  flatProgram.firstOf = index.firstOf;
  flatProgram.actions.assign(index.program.actions().begin(), index.program.actions().end());
  spans.assign(flatProgram.countRuns(), simulate::never);
  for (uint32_t r = 0; r < index.instructions.size(); ++r)
    indexOf[index.instructions[r]] = r;
  size_t run = 0;
  for (const abi::Action &action : flatProgram.actions) {
    firstRun[action.section()][abi::ringIndex(executable.batch(), action)] = run;
    run += flatProgram.firstOf[action.section() + 1] - flatProgram.firstOf[action.section()];
  }
}

simulate::Span &PeakMemoryTracker::spanOf(const abi::Instruction &instruction, uint64_t ringIndex) {
  uint32_t number = indexOf.at(&instruction), section = index.sectionOf(number);
  return spans[firstRun[section].at(ringIndex) + number - flatProgram.firstOf[section]];
}

void PeakMemoryTracker::begin(Instructions instructions, uint64_t ringIndex) {
  for (const abi::Instruction *instruction : instructions)
    spanOf(*instruction, ringIndex) = {turn, turn};
  ++turn;
}

void PeakMemoryTracker::end(Instructions instructions, uint64_t ringIndex) {
  for (const abi::Instruction *instruction : instructions)
    spanOf(*instruction, ringIndex).end = turn;
  ++turn;
}

uint64_t PeakMemoryTracker::peakLive() const {
  return simulate::trackMemory(index, check::ByteMap(index), flatProgram, spans).peakLive;
}

} // namespace pcc::runtime
