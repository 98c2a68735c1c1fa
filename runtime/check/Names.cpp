// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/Names.h"

#include "runtime/abi/ElementTypes.h"

#include <fmt/format.h>

namespace pcc::check {
namespace {

std::string lowerCase(std::string name) {
  for (char &c : name)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return name;
}

std::string kindOf(const abi::Record &record) {
  if (record.has_collective())
    return lowerCase(abi::CollectiveKind_Name(record.collective().kind()));
  const auto *oneof = abi::Record::descriptor()->FindOneofByName("kind");
  const auto *field = record.GetReflection()->GetOneofFieldDescriptor(record, oneof);
  return field ? field->name() : "record";
}

} // namespace

std::string nameOf(const abi::Record &record) {
  return fmt::format("'{}'", record.op().empty() ? kindOf(record) : record.op());
}

std::string nameOf(const abi::Program &program, const abi::Record &record, const abi::Slot &slot) {
  return fmt::format("{} in {}[{},{}]", nameOf(record),
                     program.sections(int(slot.section())).name(), slot.microbatch(), slot.copy());
}

std::string callOf(const abi::Collective &collective) {
  std::string kind = lowerCase(abi::CollectiveKind_Name(collective.kind()));
  if (collective.kind() == abi::BARRIER)
    return kind;
  std::string shape;
  for (int64_t extent : collective.shape())
    shape += fmt::format("{}x", extent);
  return fmt::format("{} of {}{}{}", kind, shape, abi::elementName(collective.type()),
                     collective.fused() ? ", fused with the one before it," : "");
}

} // namespace pcc::check
