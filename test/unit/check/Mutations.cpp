// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/check/Mutations.h"

#include "runtime/abi/program/BufferRings.h"

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

/// Lists the positions of a section's instructions for which `holds` is true.
std::vector<int> placesOf(const abi::Section &section,
                          const std::function<bool(const abi::Instruction &)> &holds) {
  std::vector<int> places;
  for (int r = 0; r < section.instructions_size(); ++r)
    if (holds(section.instructions(r)))
      places.push_back(r);
  return places;
}

bool isMessage(const abi::Instruction &instruction) {
  return instruction.has_collective() && (instruction.collective().kind() == abi::SEND ||
                                          instruction.collective().kind() == abi::RECV);
}

std::string swapRecords(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  int a = below(random, section.instructions_size()),
      b = below(random, section.instructions_size());
  section.mutable_instructions()->SwapElements(a, b);
  return "swap instructions " + std::to_string(a) + " and " + std::to_string(b) + " of " +
         section.name();
}

std::string swapNeighbours(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  if (section.instructions_size() < 2)
    return "nothing";
  int a = below(random, section.instructions_size() - 1);
  section.mutable_instructions()->SwapElements(a, a + 1);
  return "swap instruction " + std::to_string(a) + " of " + section.name() + " and the next";
}

std::string dropMessage(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  std::vector<int> places = placesOf(section, isMessage);
  if (places.empty())
    return "nothing";
  int place = places[size_t(below(random, int(places.size())))];
  std::string name = section.instructions(place).op();
  section.mutable_instructions()->DeleteSubrange(place, 1);
  return "drop " + name;
}

std::string changeSize(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  std::vector<int> places = placesOf(
      section, [](const abi::Instruction &instruction) { return instruction.has_collective(); });
  if (places.empty())
    return "nothing";
  abi::Instruction &instruction =
      *section.mutable_instructions(places[size_t(below(random, int(places.size())))]);
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_shape(0, collective.shape(0) / 2);
  return "halve " + instruction.op();
}

std::string swapCollectives(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  std::vector<int> places = placesOf(section, [](const abi::Instruction &instruction) {
    return instruction.has_collective() && !isMessage(instruction);
  });
  if (places.size() < 2)
    return "nothing";
  int a = places[size_t(below(random, int(places.size())))];
  int b = places[size_t(below(random, int(places.size())))];
  section.mutable_instructions()->SwapElements(a, b);
  return "swap collectives " + section.instructions(b).op() + " and " +
         section.instructions(a).op();
}

/// Picks an instruction that waits; null if the section has none.
abi::Instruction *anyWaiting(abi::Section &section, Random &random) {
  std::vector<int> places = placesOf(
      section, [](const abi::Instruction &instruction) { return instruction.waits_size() > 0; });
  return places.empty()
             ? nullptr
             : section.mutable_instructions(places[size_t(below(random, int(places.size())))]);
}

std::string dropWait(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  abi::Instruction *waiting = anyWaiting(section, random);
  if (!waiting)
    return "nothing";
  abi::Instruction &instruction = *waiting;
  int wait = below(random, instruction.waits_size());
  instruction.mutable_waits()->ExtractSubrange(wait, 1, nullptr);
  if (instruction.behind_size() > 0)
    instruction.mutable_behind()->ExtractSubrange(wait, 1, nullptr);
  return "drop wait " + std::to_string(wait) + " of " + instruction.op() + " in " + section.name();
}

std::string changeBehind(abi::Executable &executable, Random &random) {
  abi::Section &section = anySection(anyProgram(executable, random), random);
  abi::Instruction *waiting = anyWaiting(section, random);
  if (!waiting)
    return "nothing";
  abi::Instruction &instruction = *waiting;
  instruction.mutable_behind()->Resize(instruction.waits_size(), 0);
  int wait = below(random, instruction.waits_size());
  instruction.set_behind(wait, uint32_t(below(random, 5)));
  return "wait " + std::to_string(wait) + " of " + instruction.op() + " in " + section.name() +
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
  if (abi::ringDepth(buffer) < 2)
    return "nothing";
  buffer.mutable_ring()->set_depth(buffer.ring().depth() - 1);
  return "shrink the ring of " + buffer.name();
}

std::string swapSlots(abi::Executable &executable, Random &random) {
  abi::Program &program = anyProgram(executable, random);
  int a = below(random, program.actions_size()), b = below(random, program.actions_size());
  // Two exchanged actions of the same section are the same program under other names.
  if (program.actions(a).section() == program.actions(b).section())
    return "nothing";
  program.mutable_actions()->SwapElements(a, b);
  return "swap actions " + std::to_string(a) + " and " + std::to_string(b);
}

} // namespace

std::string changeFused(abi::Executable &executable, Random &random) {
  std::vector<abi::Instruction *> list;
  for (abi::Section &section : *anyProgram(executable, random).mutable_sections())
    for (abi::Instruction &instruction : *section.mutable_instructions())
      if (instruction.has_collective() && !isMessage(instruction))
        list.push_back(&instruction);
  abi::Instruction &instruction = *list[size_t(below(random, int(list.size())))];
  abi::Collective &collective = *instruction.mutable_collective();
  collective.set_fused(!collective.fused());
  return std::string(collective.fused() ? "fuse " : "do not fuse ") + instruction.op() +
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
