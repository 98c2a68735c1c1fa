// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/Neighbours.h"

#include "runtime/abi/OperandRanges.h"
#include "runtime/abi/Waits.h"
#include "runtime/check/ProgramIndex.h"

#include <algorithm>

namespace pcc::check {

Neighbours::Neighbours(const abi::Executable &executable, const abi::Program &program)
    : executable(executable), program(program) {
  for (const abi::Section &section : program.sections())
    for (const abi::Record &record : section.records())
      if (record.lane() == abi::COMPUTE)
        ofCompute.insert(record.signals().begin(), record.signals().end());
}

bool Neighbours::join(std::span<const abi::Record *const> together, const abi::Record &next) const {
  const abi::Record &first = *together.front();
  if (next.collective().fused())
    return true;
  bool areMessages = isMessage(first);
  if (!first.has_collective() || !next.has_collective() || first.lane() != next.lane() ||
      areMessages != isMessage(next) ||
      (!areMessages && first.collective().group() != next.collective().group()))
    return false;
  auto hasWait = [](const abi::Record &record, uint32_t event, uint32_t behind) {
    for (int w = 0; w < record.waits_size(); ++w)
      if (record.waits(w) == event && abi::behindOf(record, w) == behind)
        return true;
    return false;
  };
  auto isWaitedFor = [&](int wait) {
    uint32_t event = next.waits(wait), behind = abi::behindOf(next, wait);
    return ofCompute.contains(event) ||
           std::any_of(together.begin(), together.end(),
                       [&](const abi::Record *record) { return hasWait(*record, event, behind); });
  };
  for (int w = 0; w < next.waits_size(); ++w)
    if (!isWaitedFor(w))
      return false;
  auto waitsFor = [&](const abi::Record *record) {
    return std::any_of(next.waits().begin(), next.waits().end(), [&](uint32_t event) {
      return std::find(record->signals().begin(), record->signals().end(), event) !=
             record->signals().end();
    });
  };
  return std::none_of(together.begin(), together.end(), [&](const abi::Record *record) {
    return waitsFor(record) || abi::mayConflict(executable, program, *record, next);
  });
}

} // namespace pcc::check
