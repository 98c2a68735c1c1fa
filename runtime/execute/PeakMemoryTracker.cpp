// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/PeakMemoryTracker.h"

#include "runtime/abi/RingCopy.h"
#include "runtime/simulate/LiveMemory.h"

namespace pcc::runtime {

PeakMemoryTracker::PeakMemoryTracker(const abi::Executable &executable, int number)
    : index(executable, number), firstRun(size_t(index.program.sections_size())) {
  script.firstOf = index.firstOf;
  script.slots.assign(index.program.slots().begin(), index.program.slots().end());
  spans.assign(script.countRuns(), simulate::never);
  for (uint32_t r = 0; r < index.records.size(); ++r)
    places[index.records[r]] = r;
  size_t run = 0;
  for (const abi::Slot &action : script.slots) {
    firstRun[action.section()][abi::ringIndex(executable.batch(), action)] = run;
    run += script.firstOf[action.section() + 1] - script.firstOf[action.section()];
  }
}

simulate::Span &PeakMemoryTracker::spanOf(const abi::Record &instruction, uint64_t action) {
  uint32_t place = places.at(&instruction), section = index.sectionOf(place);
  return spans[firstRun[section].at(action) + place - script.firstOf[section]];
}

void PeakMemoryTracker::begin(Records records, uint64_t action) {
  for (const abi::Record *instruction : records)
    spanOf(*instruction, action) = {turn, turn};
  ++turn;
}

void PeakMemoryTracker::end(Records records, uint64_t action) {
  for (const abi::Record *instruction : records)
    spanOf(*instruction, action).end = turn;
  ++turn;
}

uint64_t PeakMemoryTracker::peakLive() const {
  return simulate::followMemory(index, check::ByteMap(index), script, spans).peakLive;
}

} // namespace pcc::runtime
