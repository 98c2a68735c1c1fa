// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/check/Neighbours.h"

#include "runtime/abi/OperandRanges.h"
#include "runtime/abi/Stages.h"
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
  for (const abi::RankGroup &group : executable.groups()) {
    auto isCut = [&](const abi::RankList &list) {
      auto isElsewhere = [&](uint32_t rank) {
        return abi::programOfRank(executable, rank) !=
               abi::programOfRank(executable, list.ranks(0));
      };
      return std::any_of(list.ranks().begin(), list.ranks().end(), isElsewhere);
    };
    spansPrograms.push_back(std::any_of(group.lists().begin(), group.lists().end(), isCut));
  }
}

/// Whether both are messages, or collectives of one group whose members all run this program.
bool Neighbours::haveOneList(const abi::Record &a, const abi::Record &b) const {
  if (isMessage(a) || isMessage(b))
    return isMessage(a) && isMessage(b);
  uint32_t group = a.collective().group();
  return group == b.collective().group() && !spansPrograms[group];
}

bool Neighbours::join(std::span<const abi::Record *const> together, const abi::Record &next) const {
  const abi::Record &first = *together.front();
  if (next.collective().fused())
    return true;
  if (!first.has_collective() || !next.has_collective() || first.lane() != next.lane() ||
      next.lane() == abi::TRANSFER || !haveOneList(first, next))
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
