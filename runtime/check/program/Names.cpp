// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names instructions in the checker's diagnostics. An instruction without an op is called by its
// kind: the enumerator of its collective, else the name of the field that is set.

#include "runtime/check/program/Names.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/CollectiveName.h"

#include <fmt/format.h>

namespace pcc::check {
namespace {

std::string kindOf(const abi::Instruction &instruction) {
  if (instruction.has_collective())
    return abi::collectiveName(instruction.collective().kind());
  const auto *oneof = abi::Instruction::descriptor()->FindOneofByName("kind");
  const auto *field = instruction.GetReflection()->GetOneofFieldDescriptor(instruction, oneof);
  return field ? field->name() : "instruction";
}

} // namespace

std::string nameOf(const abi::Instruction &instruction) {
  return fmt::format("'{}'", instruction.op().empty() ? kindOf(instruction) : instruction.op());
}

std::string nameOf(const abi::Program &program, const abi::Instruction &instruction,
                   const abi::Action &action) {
  return fmt::format("{} in {}[{},{}]", nameOf(instruction),
                     program.sections(int(action.section())).name(), action.microbatch(),
                     action.copy());
}

std::string callOf(const abi::Collective &collective) {
  std::string kind = abi::collectiveName(collective.kind());
  if (collective.kind() == abi::BARRIER)
    return kind;
  std::string shape;
  for (int64_t extent : collective.shape())
    shape += fmt::format("{}x", extent);
  return fmt::format("{} of {}{}{}", kind, shape, abi::elementName(collective.type()),
                     collective.fused() ? ", fused with the one before it," : "");
}

} // namespace pcc::check
