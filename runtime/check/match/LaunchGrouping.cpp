// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects once the events of COMPUTE and the groups that span programs. join() accepts a fused
// collective at once. For others it tests, in this order: stream and members; additional waits;
// waits for a member; common bytes.

#include "runtime/check/match/LaunchGrouping.h"

#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/abi/program/Waits.h"
#include "runtime/abi/validate/OperandRanges.h"
#include "runtime/check/program/ProgramIndex.h"

#include <algorithm>

namespace pcc::check {

LaunchGrouping::LaunchGrouping(const abi::Executable &executable, const abi::Program &program)
    : executable(executable), program(program) {
  for (const abi::Section &section : program.sections())
    for (const abi::Instruction &instruction : section.instructions())
      if (instruction.stream() == abi::COMPUTE)
        ofCompute.insert(instruction.signals().begin(), instruction.signals().end());
  for (const abi::RankGroups &group : executable.groups()) {
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
bool LaunchGrouping::haveSameMembers(const abi::Instruction &a, const abi::Instruction &b) const {
  if (isMessage(a) || isMessage(b))
    return isMessage(a) && isMessage(b);
  uint32_t group = a.collective().group();
  return group == b.collective().group() && !spansPrograms[group];
}

bool LaunchGrouping::join(std::span<const abi::Instruction *const> together,
                          const abi::Instruction &next) const {
  const abi::Instruction &first = *together.front();
  if (next.collective().fused())
    return true;
  if (!first.has_collective() || !next.has_collective() || first.stream() != next.stream() ||
      next.stream() == abi::TRANSFER || !haveSameMembers(first, next))
    return false;
  auto hasWait = [](const abi::Instruction &instruction, uint32_t event, uint32_t behind) {
    for (int w = 0; w < instruction.waits_size(); ++w)
      if (instruction.waits(w) == event && abi::behindOf(instruction, w) == behind)
        return true;
    return false;
  };
  auto isWaitedFor = [&](int wait) {
    uint32_t event = next.waits(wait), behind = abi::behindOf(next, wait);
    return ofCompute.contains(event) ||
           std::any_of(together.begin(), together.end(), [&](const abi::Instruction *instruction) {
             return hasWait(*instruction, event, behind);
           });
  };
  for (int w = 0; w < next.waits_size(); ++w)
    if (!isWaitedFor(w))
      return false;
  auto waitsFor = [&](const abi::Instruction *instruction) {
    return std::any_of(next.waits().begin(), next.waits().end(), [&](uint32_t event) {
      return std::find(instruction->signals().begin(), instruction->signals().end(), event) !=
             instruction->signals().end();
    });
  };
  return std::none_of(together.begin(), together.end(), [&](const abi::Instruction *instruction) {
    return waitsFor(instruction) || abi::mayConflict(executable, program, *instruction, next);
  });
}

} // namespace pcc::check
