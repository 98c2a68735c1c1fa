// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the parts that may differ (op names, locations, awaited runs) out of the sections. A map
// from the remaining serialized sections to their first program then finds equal ones. Reading
// bounds the restored size, because a small damaged file could otherwise ask for any amount of
// memory.

#include "runtime/abi/files/Executable.h"

#include "runtime/abi/program/Waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace pcc::abi {
namespace {

template <typename Callback> void forEachInstruction(Program &program, Callback callback) {
  for (Section &section : *program.mutable_sections())
    for (Instruction &instruction : *section.mutable_instructions())
      callback(instruction);
}

/// Moves the op names, locations and awaited runs out of the sections.
Program::OwnParts takeOwnParts(Program &program) {
  Program::OwnParts own;
  forEachInstruction(program, [&](Instruction &instruction) {
    for (int wait = 0; wait < instruction.waits_size(); ++wait)
      own.add_behind(behindOf(instruction, wait));
    own.add_ops(std::move(*instruction.mutable_op()));
    own.add_locations(std::move(*instruction.mutable_location()));
    if (instruction.has_collective())
      *own.add_requests() = std::move(*instruction.mutable_request());
    instruction.clear_request();
    instruction.clear_op();
    instruction.clear_location();
    instruction.clear_behind();
  });
  return own;
}

/// Puts the parts back into the sections. Their counts must match.
void restoreOwnParts(Program &program, Program::OwnParts own) {
  int index = 0, wait = 0, collective = 0;
  forEachInstruction(program, [&](Instruction &instruction) {
    instruction.set_op(std::move(*own.mutable_ops(index)));
    instruction.set_location(std::move(*own.mutable_locations(index)));
    if (instruction.has_collective() && own.requests_size() > 0)
      if (Request &request = *own.mutable_requests(collective++); !request.value().empty())
        *instruction.mutable_request() = std::move(request);
    auto begin = own.behind().begin() + wait, end = begin + instruction.waits_size();
    instruction.clear_behind();
    if (std::any_of(begin, end, [](uint32_t behind) { return behind != 0; }))
      instruction.mutable_behind()->Add(begin, end);
    ++index;
    wait += instruction.waits_size();
  });
}

std::string sectionsOf(const Program &program) {
  Program sections;
  *sections.mutable_sections() = program.sections();
  return sections.SerializeAsString();
}

/// Returns the problem of a program's reference; empty if it is valid.
std::string problemOf(const Executable &executable, int number) {
  const Program &program = executable.programs(number);
  uint32_t first = program.same_as() - 1;
  if (first >= uint32_t(number) || executable.programs(int(first)).same_as() != 0)
    return fmt::format("same_as: expected a program before it with sections of its own, got {}",
                       program.same_as());
  if (program.sections_size() > 0)
    return "same_as: expected no sections beside those of another program";
  int instructions = 0, waits = 0, collectives = 0;
  for (const Section &section : executable.programs(int(first)).sections())
    for (const Instruction &instruction : section.instructions()) {
      ++instructions;
      waits += instruction.waits_size();
      collectives += instruction.has_collective();
    }
  const Program::OwnParts &own = program.own_parts();
  if (own.ops_size() != instructions || own.locations_size() != instructions ||
      own.behind_size() != waits)
    return fmt::format("own_parts: expected parts of {} instructions with {} waits, got {} ops, {} "
                       "locations and {} waits",
                       instructions, waits, own.ops_size(), own.locations_size(),
                       own.behind_size());
  if (own.requests_size() > 0 && own.requests_size() != collectives) // none: an older file
    return fmt::format("own_parts: expected requests of {} collectives, got {}", collectives,
                       own.requests_size());
  return "";
}

} // namespace

void shareInstructions(Executable &executable) {
  std::map<std::string, int> known;
  for (int number = 0; number < executable.programs_size(); ++number) {
    Program &program = *executable.mutable_programs(number);
    Program::OwnParts own = takeOwnParts(program);
    auto [first, isFirst] = known.try_emplace(sectionsOf(program), number);
    if (isFirst) {
      restoreOwnParts(program, std::move(own));
      continue;
    }
    program.clear_sections();
    program.set_same_as(uint32_t(first->second) + 1);
    *program.mutable_own_parts() = std::move(own);
  }
}

Status fillInInstructions(Executable &executable) {
  size_t bytes = executable.ByteSizeLong();
  for (int number = 0; number < executable.programs_size(); ++number) {
    Program &program = *executable.mutable_programs(number);
    if (program.same_as() == 0)
      continue;
    if (std::string problem = problemOf(executable, number); !problem.empty())
      return Status::badInput(fmt::format("programs[{}].{}", number, problem));
    const Program &first = executable.programs(int(program.same_as()) - 1);
    for (const Section &section : first.sections())
      bytes += section.ByteSizeLong();
    if (bytes > size_t(std::numeric_limits<int32_t>::max()))
      return Status::badInput(
          fmt::format("programs[{}].same_as: expected programs of at most 2 GiB in all", number));
    *program.mutable_sections() = first.sections();
    restoreOwnParts(program, std::move(*program.mutable_own_parts()));
  }
  for (Program &program : *executable.mutable_programs()) {
    program.clear_same_as();
    program.clear_own_parts();
  }
  return {};
}

} // namespace pcc::abi
