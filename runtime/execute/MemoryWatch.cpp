// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/MemoryWatch.h"

#include "runtime/abi/RingCopy.h"
#include "runtime/simulate/LiveMemory.h"

namespace pcc::runtime {

MemoryWatch::MemoryWatch(const abi::Executable &executable, int number)
    : index(executable, number), firstRun(size_t(index.program.sections_size())) {
  script.firstOf = index.firstOf;
  script.slots.assign(index.program.slots().begin(), index.program.slots().end());
  spans.assign(script.countRuns(), simulate::never);
  for (uint32_t r = 0; r < index.records.size(); ++r)
    places[index.records[r]] = r;
  size_t run = 0;
  for (const abi::Slot &slot : script.slots) {
    firstRun[slot.section()][abi::ringIndex(executable.batch(), slot)] = run;
    run += script.firstOf[slot.section() + 1] - script.firstOf[slot.section()];
  }
}

simulate::Span &MemoryWatch::spanOf(const abi::Record &record, uint64_t slot) {
  uint32_t place = places.at(&record), section = index.sectionOf(place);
  return spans[firstRun[section].at(slot) + place - script.firstOf[section]];
}

void MemoryWatch::begin(Records records, uint64_t slot) {
  for (const abi::Record *record : records)
    spanOf(*record, slot) = {turn, turn};
  ++turn;
}

void MemoryWatch::end(Records records, uint64_t slot) {
  for (const abi::Record *record : records)
    spanOf(*record, slot).end = turn;
  ++turn;
}

uint64_t MemoryWatch::peakLive() const {
  return simulate::followMemory(index, check::ByteMap(index), script, spans).peakLive;
}

} // namespace pcc::runtime
