// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/LastRuns.h"

#include <map>

namespace pcc::test {
namespace {

/// Sections of a program of Pipelines.h, and the added section.
enum { Forward, Backward, Update, Last };

class Splitter {
public:
  explicit Splitter(abi::Program &program) : program(program) {}
  void split();

private:
  void cloneRecords();
  void moveReductions();
  void moveBehind(const abi::Instruction &reduction);
  void replaceWaits(abi::Instruction &instruction, const std::map<uint32_t, uint32_t> &events);

  abi::Program &program;
  /// Maps each event that an instruction of `backward` signals to the event of its copy.
  std::map<uint32_t, uint32_t> copyOf;
};

/// Replaces waits by waits for the last run; waits for one microbatch stay.
void Splitter::replaceWaits(abi::Instruction &instruction,
                            const std::map<uint32_t, uint32_t> &events) {
  for (int w = 0; w < instruction.waits_size(); ++w) {
    bool isLast = instruction.behind_size() == 0 || instruction.behind(w) == 0;
    if (auto copy = events.find(instruction.waits(w)); isLast && copy != events.end())
      instruction.set_waits(w, copy->second);
  }
}

void Splitter::cloneRecords() {
  abi::Section &last = *program.add_sections();
  last = program.sections(Backward);
  last.set_name("backward_last");
  last.set_last_of(Backward + 1);
  for (abi::Instruction &instruction : *last.mutable_instructions()) {
    replaceWaits(instruction, copyOf);
    for (uint32_t &event : *instruction.mutable_signals()) {
      copyOf[event] = program.events();
      event = program.events();
      program.set_events(program.events() + 1);
    }
    if (instruction.has_matmul() && instruction.matmul().accumulation() == abi::ADD_AFTER_FIRST)
      instruction.mutable_matmul()->set_accumulation(abi::ADD);
    if (instruction.has_accumulate())
      instruction.mutable_accumulate()->set_accumulation(abi::ADD);
  }
  for (abi::Instruction &instruction : *program.mutable_sections(Update)->mutable_instructions())
    replaceWaits(instruction, copyOf);
}

/// Adds a reduction after the matmul that completes its sum, and declares the reduction's
/// destination as the result.
void Splitter::moveBehind(const abi::Instruction &reduction) {
  uint32_t sum = reduction.collective().source().buffer();
  auto &instructions = *program.mutable_sections(Last)->mutable_instructions();
  int place = 0;
  while (!instructions[place].has_matmul() || instructions[place].matmul().c().buffer() != sum)
    ++place;
  abi::Instruction moved = reduction;
  moved.clear_waits();
  moved.add_waits(program.events());
  instructions[place].add_signals(program.events());
  program.set_events(program.events() + 1);
  *instructions.Add() = std::move(moved);
  for (int i = instructions.size() - 1; i > place + 1; --i)
    instructions.SwapElements(i, i - 1);
  for (abi::Result &result : *program.mutable_results())
    if (result.buffer() == sum)
      result.clear_partial_axes();
}

void Splitter::moveReductions() {
  abi::Section stays = program.sections(Update);
  stays.clear_instructions();
  for (const abi::Instruction &instruction : program.sections(Update).instructions())
    if (instruction.stream() == abi::COMMUNICATION)
      moveBehind(instruction);
    else
      *stays.add_instructions() = instruction;
  *program.mutable_sections(Update) = std::move(stays);
}

void Splitter::split() {
  cloneRecords();
  moveReductions();
  abi::Action *last = nullptr;
  for (abi::Action &action : *program.mutable_actions())
    if (action.section() == Backward)
      last = &action;
  last->set_section(Last);
  for (abi::Result &result : *program.mutable_results())
    if (result.section() == Backward)
      result.set_section(Last);
}

} // namespace

void splitLastRuns(abi::Executable &executable) {
  for (abi::Program &program : *executable.mutable_programs())
    Splitter(program).split();
}

} // namespace pcc::test
