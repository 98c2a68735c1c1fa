// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/check/Mutations.h"

#include "runtime/abi/RingCopy.h"

#include <functional>
#include <vector>

namespace pcc::test {
namespace {

using Random = std::mt19937_64;

int below(Random &random, int limit) { return int(random() % uint64_t(limit)); }

abi::Program &anyProgram(abi::Executable &executable, Random &random) {
  return *executable.mutable_programs(below(random, executable.programs_size()));
}

abi::Section &anySection(abi::Program &program, Random &random) {
  return *program.mutable_sections(below(random, program.sections_size()));
}

/// The places of a section's records that `holds` says yes to.
std::vector<int> placesOf(const abi::Section &section,
                          const std::function<bool(const abi::Record &)> &holds) {
  std::vector<int> places;
  for (int r = 0; r < section.records_size(); ++r)
    if (holds(section.records(r)))
      places.push_back(r);
  return places;
}

bool isMessage(const abi::Record &record) {
  return record.has_collective() &&
         (record.collective().kind() == abi::SEND || record.collective().kind() == abi::RECV);
}

std::string swapRecords(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  int a = below(random, section.records_size()), b = below(random, section.records_size());
  section.mutable_records()->SwapElements(a, b);
  return "swap records " + std::to_string(a) + " and " + std::to_string(b) + " of " +
         section.name();
}

std::string swapNeighbours(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  if (section.records_size() < 2)
    return "nothing";
  int a = below(random, section.records_size() - 1);
  section.mutable_records()->SwapElements(a, a + 1);
  return "swap record " + std::to_string(a) + " of " + section.name() + " and the next";
}

std::string dropMessage(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  std::vector<int> places = placesOf(section, isMessage);
  if (places.empty())
    return "nothing";
  int place = places[size_t(below(random, int(places.size())))];
  std::string name = section.records(place).op();
  section.mutable_records()->DeleteSubrange(place, 1);
  return "drop " + name;
}

std::string changeSize(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  std::vector<int> places =
      placesOf(section, [](const abi::Record &record) { return record.has_collective(); });
  if (places.empty())
    return "nothing";
  abi::Record &record = *section.mutable_records(places[size_t(below(random, int(places.size())))]);
  abi::Collective &collective = *record.mutable_collective();
  collective.set_shape(0, collective.shape(0) / 2);
  return "halve " + record.op();
}

std::string swapCollectives(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  std::vector<int> places = placesOf(section, [](const abi::Record &record) {
    return record.has_collective() && !isMessage(record);
  });
  if (places.size() < 2)
    return "nothing";
  int a = places[size_t(below(random, int(places.size())))];
  int b = places[size_t(below(random, int(places.size())))];
  section.mutable_records()->SwapElements(a, b);
  return "swap collectives " + section.records(b).op() + " and " + section.records(a).op();
}

/// A record that waits; null if none of the section does.
abi::Record *anyWaiting(abi::Section &section, Random &random) {
  std::vector<int> places =
      placesOf(section, [](const abi::Record &record) { return record.waits_size() > 0; });
  return places.empty()
             ? nullptr
             : section.mutable_records(places[size_t(below(random, int(places.size())))]);
}

std::string dropWait(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  abi::Record *waiting = anyWaiting(section, random);
  if (!waiting)
    return "nothing";
  abi::Record &record = *waiting;
  int wait = below(random, record.waits_size());
  record.mutable_waits()->ExtractSubrange(wait, 1, nullptr);
  if (record.behind_size() > 0)
    record.mutable_behind()->ExtractSubrange(wait, 1, nullptr);
  return "drop wait " + std::to_string(wait) + " of " + record.op() + " in " + section.name();
}

std::string changeBehind(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  abi::Record *waiting = anyWaiting(section, random);
  if (!waiting)
    return "nothing";
  abi::Record &record = *waiting;
  record.mutable_behind()->Resize(record.waits_size(), 0);
  int wait = below(random, record.waits_size());
  record.set_behind(wait, uint32_t(below(random, 5)));
  return "wait " + std::to_string(wait) + " of " + record.op() + " in " + section.name() +
         " is for another run";
}

std::string moveBuffer(abi::Executable &executable, Random &random) {
  abi::MemoryPlan &memory = *anyProgram(executable, random).mutable_memory();
  abi::Buffer &buffer = *memory.mutable_buffers(below(random, memory.buffers_size()));
  const abi::Buffer &other = memory.buffers(below(random, memory.buffers_size()));
  if (buffer.space() != other.space())
    return "nothing";
  buffer.set_offset(other.offset());
  return "move " + buffer.name() + " onto " + other.name();
}

std::string shrinkRing(abi::Executable &executable, Random &random) {
  abi::MemoryPlan &memory = *anyProgram(executable, random).mutable_memory();
  abi::Buffer &buffer = *memory.mutable_buffers(below(random, memory.buffers_size()));
  if (abi::ringLength(buffer) < 2)
    return "nothing";
  buffer.mutable_ring()->set_copies(buffer.ring().copies() - 1);
  return "shrink the ring of " + buffer.name();
}

std::string swapSlots(abi::Executable &executable, Random &random) {
  abi::Program &program = anyProgram(executable, random);
  int a = below(random, program.slots_size()), b = below(random, program.slots_size());
  // Two slots of one section that change places are what they were under other names.
  if (program.slots(a).section() == program.slots(b).section())
    return "nothing";
  program.mutable_slots()->SwapElements(a, b);
  return "swap slots " + std::to_string(a) + " and " + std::to_string(b);
}

} // namespace

std::string changeFused(abi::Executable &executable, Random &random) {
  std::vector<abi::Record *> list;
  for (abi::Section &section : *anyProgram(executable, random).mutable_sections())
    for (abi::Record &record : *section.mutable_records())
      if (record.has_collective() && !isMessage(record))
        list.push_back(&record);
  abi::Record &record = *list[size_t(below(random, int(list.size())))];
  abi::Collective &collective = *record.mutable_collective();
  collective.set_fused(!collective.fused());
  return std::string(collective.fused() ? "fuse " : "do not fuse ") + record.op() +
         " with what is before it";
}

std::string mutate(abi::Executable &executable, std::mt19937_64 &random) {
  using Mutation = std::string (*)(abi::Executable &, Random &);
  constexpr Mutation mutations[] = {swapRecords,     swapNeighbours, dropMessage, changeSize,
                                    swapCollectives, dropWait,       moveBuffer,  shrinkRing,
                                    swapSlots,       changeBehind,   changeFused};
  return mutations[below(random, int(std::size(mutations)))](executable, random);
}

} // namespace pcc::test
